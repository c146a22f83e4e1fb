import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/"] },
  ...tseslint.configs.strict,
  {
    files: ["**/*.ts"],
    rules: {
      "max-params": ["error", 6],
      "max-lines": ["error", 900],
      "max-lines-per-function": ["error", { max: 100, skipBlankLines: true, skipComments: true }],
      "max-depth": ["error", 3],
      // Reading an element whose index was just checked: the type system cannot see the bound.
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
  { files: ["test/**/*.ts"], rules: { "max-lines-per-function": "off" } },
);
