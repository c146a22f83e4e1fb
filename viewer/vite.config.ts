/*
 * The build: one self-contained dist/index.html, with the script and the styles inside.
 *
 * The version is the one of the project (CMakeLists.txt), because page and server must be of the same version.
 */
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The version in `project(rigor VERSION x.y.z ...)`. */
export function projectVersion(): string {
  const text = readFileSync(new URL("../CMakeLists.txt", import.meta.url), "utf8");
  const found = /project\(rigor VERSION ([0-9.]+)/.exec(text);
  if (!found?.[1]) throw new Error("CMakeLists.txt: no 'project(rigor VERSION ...)' found");
  return found[1];
}

/** Puts the only script and the only style sheet into the page. */
function inlineAll(): Plugin {
  return {
    name: "inline-all",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html in the bundle");
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        const inlined =
          part.type === "chunk" ? inlineScript(html, name, part.code) : inlineStyle(html, name, String(part.source));
        if (inlined === html) throw new Error(`${name}: the page does not name it, so it cannot be inlined`);
        html = inlined;
        Reflect.deleteProperty(bundle, name);
      }
      page.source = html;
    },
  };
}

/** Text that would end the element, or open a comment, is escaped inside of it. */
function inlineScript(html: string, name: string, code: string): string {
  const tag = new RegExp(`<script type="module"[^>]*src="[^"]*${name}"[^>]*></script>`);
  const safe = code.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
  const script = `<script type="module">${safe}</script>`;
  return tag.test(html) ? html.replace(tag, "").replace("</body>", () => `${script}\n</body>`) : html;
}

function inlineStyle(html: string, name: string, css: string): string {
  return html.replace(new RegExp(`<link rel="stylesheet"[^>]*href="[^"]*${name}"[^>]*>`), () => `<style>${css}</style>`);
}

export default defineConfig({
  base: "./",
  define: { __RIGOR_VERSION__: JSON.stringify(projectVersion()) },
  build: {
    target: "es2020",
    assetsInlineLimit: 100_000_000,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: "page.js", assetFileNames: "page[extname]" } },
  },
  plugins: [inlineAll()],
});
