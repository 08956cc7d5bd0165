import type { Worker } from 'node:cluster';

/** The fields of an internal `node:cluster` message that this module reads. */
interface Internal {
  readonly seq?: number;
  readonly ack?: number;
}
interface Handle {
  close(): void;
}

/**
 * Takes the connections that an ended worker has not accepted, and passes them to another worker. If there is no other
 * worker, closes the connections. `node:cluster` keeps such a connection open without a response (Node 24,
 * lib/internal/cluster/round_robin_handle.js), so its client would wait until its own time limit. The module's messages
 * are internal. In a Node version with other messages, this function has no effect.
 */
export function returnConnections(worker: Worker, hasOthers: () => boolean): void {
  const child = worker.process;
  const offered = new Map<number, Handle>();
  const send = child.send.bind(child);
  const sendAndRecord = (message: Internal, handle?: Handle, ...rest: readonly unknown[]): unknown => {
    if (handle && message.seq !== undefined) offered.set(message.seq, handle);
    return Reflect.apply(send, child, [message, handle, ...rest]);
  };
  Reflect.set(child, 'send', sendAndRecord);
  child.on('internalMessage', ({ ack }: Internal) => {
    if (ack !== undefined) offered.delete(ack);
  });
  const giveBack = (): void => {
    for (const [ack, handle] of [...offered]) {
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
    offered.clear();
  };
  // The process may end before or after its channel closes, or only one of the two events may occur. After either
  // event, the module offers the worker no further connection.
  worker.once('disconnect', giveBack);
  worker.once('exit', () => setImmediate(giveBack));
}
