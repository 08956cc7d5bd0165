/** What a check of a gateway has found, in sentences. */
export interface PaymentGatewayReport {
  /** What is wrong, each in a sentence; empty if nothing is. */
  readonly findings: readonly string[];
  /** What is the gateway's own choice, and good to know. */
  readonly notes: readonly string[];
  /** The members of the gateway that were called. */
  readonly called: readonly string[];
}

/** Collects what a check finds, each sentence once. */
export class GatewayFindings implements PaymentGatewayReport {
  readonly #findings = new Set<string>();
  readonly #notes = new Set<string>();
  readonly #called = new Set<string>();

  get findings(): readonly string[] {
    return [...this.#findings];
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  get called(): readonly string[] {
    return [...this.#called];
  }

  wrong(sentence: string): void {
    this.#findings.add(sentence);
  }

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  calls(member: string): void {
    this.#called.add(member);
  }
}
