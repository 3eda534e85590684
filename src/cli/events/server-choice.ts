/** Which server, and as whom. */
export interface ServerChoice {
  readonly server: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly tokenFile: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly apiGroup: string | undefined;
}
