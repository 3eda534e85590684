/** What a command can use of its process. */
export interface ProcessContext {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly pid: number;
  /** True where stdout is a terminal that shows colours, and its user has not said otherwise (`NO_COLOR`). */
  readonly colour?: boolean;
  /** Calls the listener for each SIGINT and SIGTERM until the returned function is called. */
  readonly onSignal: (listener: (signal: EndSignal) => void) => () => void;
}

/** A stream that takes text. */
export interface TextOutput {
  write(text: string): unknown;
}

/** The signals that end a command. */
export type EndSignal = 'SIGINT' | 'SIGTERM';

/** The result of reading a command line: something to run, a text to print, or one line that says what is wrong. */
export type Prepared =
  /** Resolves to the exit code. */
  | { readonly run: (context: ProcessContext) => Promise<number> }
  | { readonly help: string }
  | { readonly error: string };

/** A command of the program. */
export interface Command {
  readonly name: string;
  /** The name and its operands: `copy FROM TO`. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Reads what follows the name. Nothing is opened yet. */
  readonly prepare: (argv: readonly string[]) => Prepared;
}
