import { staticTokens, type StaticTokenCaller } from '../../index.js';

export type TokenUser = Required<StaticTokenCaller>;

/** Reads kube-apiserver's static token file: CSV lines `token,user,uid[,"group,group"]`. No error repeats a token. */
export function parseTokensFile(text: string, fileName: string): ReadonlyMap<string, TokenUser> {
  const users = new Map<string, TokenUser>();
  text.split('\n').forEach((line, index) => {
    const row = line.replace(/\r$/, '');
    if (row === '') return;
    const fail = (what: string): never => {
      throw new Error(`token file ${fileName}, line ${index + 1}: ${what}`);
    };
    const columns = splitCsvRow(row) ?? fail('a quote is missing or in the wrong place');
    const [token = '', name = '', uid = '', groups = ''] = columns;
    if (columns.length < 3) fail(`needs at least 3 columns (token, user, uid), has ${columns.length}`);
    if (!/^[\x21-\x7e]+$/.test(token)) fail('the token must be printable ASCII without spaces, and not empty');
    if (name === '') fail('the user name is empty');
    if (users.has(token)) fail('the token is there twice');
    const user = { name, uid, groups: groups.split(',').filter((group) => group !== '') };
    users.set(token, user);
    try {
      // Reports texts that the library refuses as a token, such as `undefined`, with their line.
      staticTokens(new Map([[token, user]]));
    } catch (error) {
      fail((error as Error).message.replace('staticTokens: token 1', 'the token'));
    }
  });
  return users;
}

function splitCsvRow(row: string): readonly string[] | undefined {
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = field.exec(row);
    if (match === null) return undefined;
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return fields;
  }
}
