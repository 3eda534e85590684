// Checks the reference and the site: pages of the reference are current, the site builds, and in the built pages every link
// leads to a page and a heading that are there, and nothing is loaded from another host.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root, run, runGates, runTool } from './gate.mjs';

const site = join(root, '.site/html');

await runGates('check-site', {
  'docs/reference is current (npm run reference)'() {
    run(process.execPath, ['--import', 'tsx', 'scripts/reference.ts', '--check']);
  },
  'the site builds (npm run site)'() {
    runTool('vitepress/bin/vitepress.js', ['build', 'docs']);
  },
  'links of the built pages lead to pages and headings'() {
    const pages = builtPages();
    const faults = [...pages].flatMap(([name, page]) =>
      page.links.filter((link) => isDead(link, name, pages)).map((link) => `${name} → ${link}`),
    );
    if (faults.length > 0) throw new Error(faults.join('\n'));
    const count = [...pages.values()].reduce((sum, { links }) => sum + links.length, 0);
    if (pages.size < 50 || count < 1_000)
      throw new Error(`only ${pages.size} pages with ${count} links: is the build complete?`);
    return `${count} links of ${pages.size} pages`;
  },
  'built pages load nothing from another host'() {
    const faults = siteFiles(/\.(html|css)$/).flatMap((name) => {
      const text = readFileSync(join(site, name), 'utf8');
      const elements = text.match(
        /<(?:script|link|img|iframe|source|video|audio)\b[^>]*\b(?:src|srcset|href)="(?:https?:)?\/\/[^>]*>/g,
      );
      const styles = text.match(/(?:url\(|@import\s*)["']?(?:https?:)?\/\/[^)"']*/g);
      return [...(elements ?? []), ...(styles ?? [])].map((found) => `${name}: ${found}`);
    });
    if (faults.length > 0) throw new Error(faults.join('\n'));
  },
});

/** Every page with its links into the site and the anchors of its elements, by its path from the site's folder. */
function builtPages() {
  const text = (name) => readFileSync(join(site, name), 'utf8');
  const all = (html, pattern) => [...html.matchAll(pattern)].map(([, value]) => value.replaceAll('&amp;', '&'));
  return new Map(
    siteFiles(/\.html$/).map((name) => {
      const html = text(name);
      const links = all(html, /<a\b[^>]*\bhref="([^"]*)"/g).filter((link) => !/^[a-z][a-z\d+.-]*:/i.test(link));
      return [name, { links, ids: new Set(all(html, /\bid="([^"]*)"/g)) }];
    }),
  );
}

function siteFiles(pattern) {
  if (!existsSync(join(site, 'index.html'))) throw new Error('there is no build: see above');
  const names = readdirSync(site, { recursive: true }).map((name) => name.replaceAll('\\', '/'));
  return names.filter((name) => pattern.test(name));
}

function isDead(link, from, pages) {
  const [path, anchor = ''] = link.split('#');
  const target = path.startsWith('/') ? path.slice(1) : posix.join(dirname(from), path);
  const name =
    path === '' ? from : /(^|\/)$/.test(target) ? `${target}index.html` : target.replace(/(\.html)?$/, '.html');
  const page = pages.get(name);
  return page === undefined || (anchor !== '' && !page.ids.has(decodeURIComponent(anchor)));
}
