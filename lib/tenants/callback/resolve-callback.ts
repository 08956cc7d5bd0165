import type { NameResolver } from '../../ports/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';
import { addressScope } from './address-scope.ts';
import { type CallbackPolicy, readCallbackUrl, refusal } from './callback-url.ts';
import { ipBytes } from './ip-address.ts';

/** Where a push connects to. */
export interface CallbackTarget {
  readonly url: URL;
  /** The addresses that may be connected to. The host must not be resolved again, since the answer could be another. */
  readonly addresses: readonly string[];
}

/**
 * Checks a registered callback again right before a delivery, with every address that its name resolves to now: one
 * forbidden address refuses them all, so that a name cannot be redirected after its registration.
 * @throws BillingError INVALID_PARAMETER when it must not be called; whatever the resolver throws when there is no
 * address.
 */
export async function resolveCallback(
  text: string,
  policy: CallbackPolicy,
  resolver: NameResolver,
): Promise<CallbackTarget> {
  const url = readCallbackUrl(text, policy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = ipBytes(host) === undefined ? await resolver.resolve(host) : [host];
  const reasons = addresses.map((address) => refusal(addressScope(address), policy));
  const reason = addresses.length === 0 ? 'resolves to no address' : reasons.find((each) => each !== null);
  if (reason === undefined || reason === null) return { url, addresses };
  throw invalidParameter(`The host "${shortened(host)}" of the callback ${reason}`, { host, addresses });
}
