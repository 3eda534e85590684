import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from 'prettier';
import { Application } from 'typedoc';
import { packageEntries } from './package-entries.js';
import { tidyPages } from './tidy-pages.js';
import type { ProjectReflection, TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';

const PLUGIN: PluginOptions = {
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hidePageTitle: true,
  useHTMLAnchors: true,
  useCodeBlocks: true,
  expandObjects: true,
  expandParameters: true,
  typeDeclarationVisibility: 'compact',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  // Columns that readers of options do not need: modifiers such as `readonly`, and where a member is inherited from.
  tableColumnSettings: {
    hideDefaults: true,
    hideModifiers: true,
    hideInherited: true,
    hideOverrides: true,
    hideSources: true,
  },
};

/**
 * Every page of the reference, by file name: one for each entry of the package, and an index. Throws when TypeDoc has an error
 * or a warning, such as a `{@link}` to what no entry exports.
 */
export async function referencePages(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = packageEntries(root);
  const options: TypeDocOptions & PluginOptions = {
    ...PLUGIN,
    plugin: ['typedoc-plugin-markdown'],
    router: 'module',
    tsconfig: join(root, 'tsconfig.json'),
    // A name that several entries export is described on the page of the first of them; health comes first.
    entryPoints: [...entries]
      .sort((one, other) => Number(other.page === 'health') - Number(one.page === 'health'))
      .map(({ source }) => source),
    // `npm run typecheck` finds errors.
    skipErrorChecking: true,
    readme: 'none',
    disableGit: true,
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    sort: ['kind', 'source-order'],
    kindSortOrder: ['Function', 'Variable', 'Interface', 'TypeAlias', 'Reference'],
    groupOrder: ['Functions', 'Variables', 'Interfaces', 'Type Aliases', 'References'],
    validation: { invalidLink: true, notExported: true, invalidPath: true, rewrittenLink: true },
    treatWarningsAsErrors: true,
    logLevel: 'Warn',
  };
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-reference-'));
  try {
    const app = await Application.bootstrapWithPlugins({ ...options, out: folder });
    const project = await app.convert();
    if (project === undefined) throw new Error('TypeDoc could not read the sources.');
    app.validate(project);
    nameModules(project);
    await app.generateOutputs(project);
    if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc has warnings: see above.');
    const written = entries.map(
      ({ page }) => [`${page}.md`, readFileSync(join(folder, `${page}.md`), 'utf8')] as const,
    );
    const style = (await resolveConfig(join(root, 'src/index.ts'))) ?? {};
    const bodies = await tidyPages(new Map(written), style);
    const pages = entries.map(({ page, specifier, purpose }): [string, string] => [
      `${page}.md`,
      `# ${specifier}\n\n${capitalized(purpose)}.\n\n${bodies.get(`${page}.md`) ?? ''}`,
    ]);
    return new Map([['README.md', indexPage(entries)], ...pages]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Names the page of the root after the package, since the index is another page, and sorts the names of each page. */
function nameModules(project: ProjectReflection): void {
  for (const module of project.children ?? []) {
    if (module.name === 'index') module.name = project.packageName ?? module.name;
    for (const group of module.groups ?? []) {
      group.children.sort((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
    }
  }
}

/** Makes a sentence of a row of the table, unless it begins with a name. */
function capitalized(text: string): string {
  return text.replace(/^\[?[a-z](?=[a-z-]*[ ,])/, (letter) => letter.toUpperCase());
}

function indexPage(entries: ReturnType<typeof packageEntries>): string {
  const rows = entries.map(({ specifier, page, purpose }) => `| [\`${specifier}\`](${page}.md) | ${purpose} |`);
  return `# Reference

Every exported name, written from the comments in \`src/\` by \`npm run reference\`. Change the comments, not these pages.

| import | for |
|---|---|
${rows.join('\n')}
`;
}
