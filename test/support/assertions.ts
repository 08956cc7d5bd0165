import { expect } from 'chai';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import { isLongRun } from './long-run.ts';

/** Like `deep.equal` for records, lists and scalars, but several times faster on large values. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isSame(actual, expected)) expect(actual).to.eql(expected);
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const names = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === Object.keys(other).length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isSame(Reflect.get(one, name), Reflect.get(other, name)),
    )
  );
}

/** Returns the code of the error that `work` rejects with, the error itself if it has no code, or `no error`. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? (Reflect.get(error, 'code') ?? error) : error),
  );
}

/** Like `codeOf` for a synchronous function. */
export function codeThrownBy(work: () => unknown): unknown {
  try {
    work();
    return 'no error';
  } catch (error) {
    return error instanceof Error ? (Reflect.get(error, 'code') ?? error) : error;
  }
}

/** Expects that `work` fails with this error code. */
export async function expectCode(work: Promise<unknown>, code: ErrorName | number, message?: string) {
  expect(await codeOf(work), message).to.equal(typeof code === 'number' ? code : ErrorCode[code]);
}

export type ErrorName = keyof typeof ErrorCode;

export function errorOf(call: () => unknown): BillingError {
  const outcome = valueOrError(call);
  if (outcome instanceof BillingError) return outcome;
  throw new Error('nothing was thrown');
}

export function valueOrError<Value>(call: () => Value): Value | BillingError {
  try {
    return call();
  } catch (error) {
    if (error instanceof BillingError) return error;
    throw error;
  }
}

/** Returns the message of the error that `work` rejects with, or `no error`. */
export async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/**
 * Asserts the bound only in the long run, which has a machine of its own. In other runs, mocha's time limit finds
 * hanging code.
 */
export function expectBelow(most: number, measured: number, what: string): void {
  if (isLongRun) expect(measured, what).to.be.below(most);
}
