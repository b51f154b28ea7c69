// Writes the pages under docs/ that code knows best. With --check it writes nothing and fails where a page differs.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { annotationsPage } from './docs/annotations.ts'
import { classParametersPage } from './docs/class-parameters.ts'
import { configSchemaPage } from './docs/config-schema.ts'
import { controlPlaneFailuresPage } from './docs/control-plane-failures.ts'
import { flagsPage } from './docs/flags.ts'
import { type Page, pageText } from './docs/markdown.ts'
import { metricsPage } from './docs/metrics.ts'
import { performancePage } from './docs/performance.ts'
import { rbacPage } from './docs/rbac.ts'
import { routesSchemaPage } from './docs/routes-schema.ts'
import { warningsPage } from './docs/warnings.ts'
import { staleFiles } from './generated-file.ts'

const ROOT = join(import.meta.dirname, '..')

/** Every generated page. */
export function generatedPages(): readonly Page[] {
  return [
    annotationsPage(),
    controlPlaneFailuresPage(),
    classParametersPage(),
    configSchemaPage(),
    flagsPage(),
    metricsPage(),
    performancePage(),
    rbacPage(),
    routesSchemaPage(),
    warningsPage(),
  ]
}

/** The pages whose file differs from what the code says. */
export function stalePages(pages: readonly Page[]): readonly Page[] {
  return staleFiles(pages.map((page) => ({ file: page.file, text: pageText(page), page }))).map(({ page }) => page)
}

if (import.meta.main) {
  const stale = stalePages(generatedPages())
  const check = process.argv.includes('--check')
  for (const page of stale) {
    if (!check) writeFileSync(join(ROOT, page.file), pageText(page))
    console.log(check ? `${page.file} differs from ${page.source}: run npm run docs` : `wrote ${page.file}`)
  }
  console.log(`gen-docs: ${generatedPages().length} pages, ${stale.length} ${check ? 'stale' : 'written'}`)
  process.exitCode = check && stale.length > 0 ? 1 : 0
}
