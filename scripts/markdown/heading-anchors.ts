/** The anchor that GitHub and the site give a heading that is unique on its page. */
export function headingAnchor(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
    .replace(/\s/g, '-');
}

/** Gives the headings of one page their anchors, in their order; repeated ones are numbered. */
export function createHeadingAnchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const base = headingAnchor(heading);
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
}
