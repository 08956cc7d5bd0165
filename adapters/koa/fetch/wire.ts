import { Duplex } from 'node:stream';

/** What Node's HTTP server asks of a connection beyond its bytes. */
export interface Peer {
  /** The address of who calls; undefined: not known. */
  readonly remoteAddress?: string | undefined;
  /** Whether the caller has reached the application by TLS. */
  readonly encrypted: boolean;
}

/**
 * One end of a connection inside the process. What is written to one end is read at the other, no faster than it is read
 * there. Unlike `duplexPair` of `node:stream` before Node 24, an end that is destroyed takes the other one with it, and an
 * end has the timeout by which stalled readers are found.
 */
export class Wire extends Duplex implements Peer {
  readonly remoteAddress: string | undefined;
  readonly encrypted: boolean;
  #other: Wire | undefined;
  /** Goes on with the writing of the other end. */
  #resume: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor({ remoteAddress, encrypted }: Peer) {
    super();
    this.remoteAddress = remoteAddress;
    this.encrypted = encrypted;
  }

  /** The two ends: of who calls, and of the server. */
  static pair(peer: Peer): readonly [caller: Wire, server: Wire] {
    const ends = [new Wire({ encrypted: false }), new Wire(peer)] as const;
    ends[0].#join(ends[1]);
    ends[1].#join(ends[0]);
    return ends;
  }

  #join(other: Wire): void {
    this.#other = other;
  }

  /** As sockets have it: emits `timeout` when nothing has been read or written for so long; 0 = never. */
  setTimeout(ms: number): this {
    clearTimeout(this.#timer);
    this.#timer = ms === 0 ? undefined : setTimeout(() => this.emit('timeout'), ms).unref();
    return this;
  }

  override _read(): void {
    this.#timer?.refresh();
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#timer?.refresh();
    const other = this.#other;
    if (other === undefined || other.push(chunk)) done();
    else other.#resume = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    const other = this.#other;
    // In a turn of its own, so that the other end reads first what has been sent to it.
    setImmediate(() => other?.destroy());
    done(error);
  }
}
