/* Unit tests: decoders, time, numbers. */
import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/unit/**/*.test.ts"], environment: "node", testTimeout: 30_000 } });
