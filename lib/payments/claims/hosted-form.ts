import type { HostedForm } from '../../ports/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_HOSTED_FORM_CHARACTERS } from '../../values/limits.ts';
import { gatewayText } from './gateway-claims.ts';

/** What a page of the gateway's own needs, on which the customer pays or adds a method (§11). */
export interface HostedFormView {
  readonly kbAccountId: Uuid;
  readonly formMethod: string | null;
  readonly formUrl: string | null;
  readonly formFields: Readonly<Record<string, unknown>> | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/**
 * What a gateway claims about its form; null if it cannot be read. The account is the one that was asked for, whatever the
 * gateway says; members are taken as JSON, a bounded amount of it.
 */
export function claimedForm(form: HostedForm | null | undefined, kbAccountId: Uuid): HostedFormView | null {
  if (typeof form !== 'object' || form === null) return null;
  const formFields = jsonObject(form.formFields);
  const properties = jsonObject(form.properties);
  if (formFields === undefined || properties === undefined) return null;
  const { formMethod, formUrl } = form;
  return {
    kbAccountId,
    formMethod: gatewayText(formMethod),
    formUrl: gatewayText(formUrl),
    formFields,
    properties,
  };
}

/** The object as JSON has it; undefined = it is none, or too large. */
function jsonObject(value: unknown): Readonly<Record<string, unknown>> | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const text = jsonOf(value);
  return text === null || text.length > MAX_HOSTED_FORM_CHARACTERS ? undefined : JSON.parse(text);
}

function jsonOf(value: object): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // it contains itself, or what JSON does not have
  }
}
