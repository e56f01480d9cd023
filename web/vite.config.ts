import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite asks for it
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // A data address in a style sheet would need a wider policy than the pages have.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onLog: (level, log, tell) => {
        // Packages mark what may not run on a server; here nothing does.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log)
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4180' } },
})
