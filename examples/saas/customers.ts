import { createHash, randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Knex } from 'knex';
import type { AppBilling } from './billing.ts';
import { type Customer, type Session, unlocked } from './database.ts';
import { CURRENCY } from './plans.ts';

/** A problem with the input that the customer can fix. */
export class InputError extends Error {}

export interface SignUp {
  readonly email: string;
  readonly company: string;
  readonly password: string;
  readonly planName: string;
  /** The number of seats. */
  readonly quantity: number;
  /** The codes of coupons. */
  readonly coupons?: readonly string[];
}

/** Creates the account, its subscription and the application's own row in one transaction: all of them or none. */
export async function signUp(db: Knex, acme: AppBilling['acme'], input: SignUp): Promise<Customer> {
  const { email, company, planName, quantity, coupons = [] } = input;
  if (await db<Customer>('customers').where({ email }).first())
    throw new InputError('This e-mail address is already registered. Log in instead.');
  const password_hash = await hashOf(input.password); // slow, so before the transaction
  return unlocked(() =>
    db.transaction(async (trx) => {
      const billing = acme.within(trx);
      const account = await billing.createAccount({ name: company, email, currency: CURRENCY });
      const order = { accountId: account.id, planName, quantity, coupons };
      const { subscriptionId } = await billing.createSubscription(order);
      const ids = { id: randomUUID(), account_id: account.id, subscription_id: subscriptionId };
      const customer: Customer = { ...ids, email, company, password_hash };
      await trx<Customer>('customers').insert(customer);
      return customer;
    }),
  );
}

export async function logIn(db: Knex, { email, password }: Pick<SignUp, 'email' | 'password'>) {
  const customer = await db<Customer>('customers').where({ email }).first();
  const [salt = '', hash = ''] = customer?.password_hash.split(':') ?? [];
  const given = await derive(password, salt, KEY_BYTES);
  if (customer && timingSafeEqual(Buffer.from(hash, 'hex'), given)) return customer;
  throw new InputError('E-mail address or password is wrong.');
}

const KEY_BYTES = 32;
const derive = promisify<string, string, number, Buffer>(scrypt);

async function hashOf(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex');
  return `${salt}:${(await derive(password, salt, KEY_BYTES)).toString('hex')}`;
}

const SESSION_MS = 30 * 24 * 60 * 60 * 1000;

/** Starts a session and returns its token. The database contains only the hash of the token. */
export async function startSession(db: Knex, { id: customer_id }: Customer): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const expires_at = new Date(Date.now() + SESSION_MS).toISOString();
  const session = { token_hash: hashOfToken(token), customer_id, expires_at };
  await unlocked(() => db<Session>('sessions').insert(session));
  return token;
}

export async function customerOfSession(db: Knex, token: string): Promise<Customer | undefined> {
  const session = await db<Session>('sessions')
    .where({ token_hash: hashOfToken(token) })
    .where('expires_at', '>', new Date().toISOString())
    .first();
  return session && db<Customer>('customers').where({ id: session.customer_id }).first();
}

export async function endSession(db: Knex, token: string): Promise<void> {
  const session = { token_hash: hashOfToken(token) };
  await unlocked(() => db<Session>('sessions').where(session).delete());
}

const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');
