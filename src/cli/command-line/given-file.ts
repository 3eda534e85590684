/** For a file that a flag names. The code is shorter than Node's message, which does not always contain the path. */
export function unreadable(flag: string, path: string, error: unknown): Error {
  return new Error(`${flag}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
}

/** Without a certificate in PEM, Node trusts nobody and blames the server. @throws Error that names the flag */
export function certificatesIn(text: string, flag: string, path: string): string {
  if (text.includes('-----BEGIN ')) return text;
  throw new Error(`${flag}: ${path} contains no certificate in PEM`);
}
