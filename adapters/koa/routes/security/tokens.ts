import { z } from 'zod';
import { type Principal, PrincipalKind } from '../../../../lib/records/index.ts';
import type { BillingError } from '../../../../lib/values/errors/index.ts';
import type { Credentials } from '../../auth/credentials.ts';
import type { Answer } from '../../routing/answer.ts';
import { formBody } from '../../routing/body.ts';
import { PLUGIN } from '../../routing/path.ts';
import {
  inArea,
  loginRoute,
  openRoute,
  type RequestLogin,
  type RequestTokens,
  type Route,
} from '../../routing/route.ts';
import { strictAnswer } from '../../wire/wire-type.ts';

const noStore = { 'Cache-Control': 'no-store' };

const text = (description: string) => [() => z.string(), { type: 'string', description }] as const;
const texts = (description: string) =>
  [() => z.array(z.string()), { type: 'array', description, items: { type: 'string' } }] as const;

const token = text('Token for the header `Authorization: Bearer`');
const Token = strictAnswer({ token });

const KeySet = strictAnswer({
  keys: [
    () => z.array(z.looseObject({ kid: z.string(), kty: z.literal('RSA') })),
    { type: 'array', description: 'Keys in the format of RFC 7517', items: { type: 'object' } },
  ],
});

const Metadata = strictAnswer({
  issuer: text('Issuer of the tokens'),
  token_endpoint: text('URL of the token endpoint'),
  jwks_uri: text('URL of the keys that verify the tokens'),
  grant_types_supported: texts('Supported grant types'),
  response_types_supported: texts('Empty: there is no interactive login page'),
  token_endpoint_auth_methods_supported: texts('Supported ways for clients to authenticate'),
});

/** Error codes of RFC 6749 §5.2. */
type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'
  | 'server_error';

const IssuedToken = strictAnswer({
  access_token: token,
  token_type: [
    () => z.literal('Bearer'),
    { type: 'string', const: 'Bearer', description: 'Type of the token' },
  ],
  expires_in: [() => z.int(), { type: 'integer', description: 'Lifetime in seconds' }],
  scope: text('The permissions of the subject when the token was issued'),
});

const oauthError = {
  type: 'object',
  description: 'Why no token was issued (RFC 6749 §5.2)',
  properties: {
    error: { type: 'string', description: 'Kind of the error', examples: ['invalid_client'] },
    error_description: {
      type: 'string',
      description: 'Description of the error',
      examples: ['The client id or secret is wrong, or the client is inactive'],
    },
  },
  required: ['error', 'error_description'],
};

const form = formBody({
  grant_type: 'Either `client_credentials` or `password`',
  client_id: 'Client id, unless sent with `Authorization: Basic`',
  client_secret: 'Client secret, unless sent with `Authorization: Basic`',
  username: 'Name of the user, for the grant type `password`',
  password: 'Password of the user, for the grant type `password`',
  scope: 'Accepted but ignored; a token always carries all permissions of its subject',
});

interface Grant {
  readonly form: URLSearchParams;
  readonly login: RequestLogin;
  readonly tokens: RequestTokens;
}

/** See platform §7.1. */
export const tokenRoutes: readonly Route[] = inArea('security', [
  loginRoute('issuePluginToken', `POST ${PLUGIN}/auth`, {
    summary: 'Log in and get a bearer token',
    permission: 'NONE',
    outOfRotation: true,
    success: { status: 200, body: Token },
    async handle({ tokens, user }) {
      const { token } = await tokens.issue(user);
      return { json: { token }, headers: noStore };
    },
  }),
  openRoute('jwks', 'GET /.well-known/jwks.json', {
    summary: 'Get the public keys that verify the tokens of this server',
    success: { status: 200, body: KeySet },
    async handle({ tokens }) {
      return { json: await tokens.keySet(), headers: { 'Cache-Control': 'public, max-age=600' } };
    },
  }),
  openRoute('issuerMetadata', 'GET /.well-known/oauth-authorization-server', {
    summary: 'Get the authorization server metadata (RFC 8414)',
    success: { status: 200, body: Metadata },
    handle: ({ tokens }) => ({
      json: {
        issuer: tokens.issuer(),
        token_endpoint: `${tokens.baseUrl()}/oauth2/token`,
        jwks_uri: `${tokens.baseUrl()}/.well-known/jwks.json`,
        grant_types_supported: ['client_credentials', 'password'],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      },
    }),
  }),
  // This is the token endpoint of OAuth 2 (RFC 6749 §4.3, §4.4 and §5).
  openRoute('issueToken', 'POST /oauth2/token', {
    summary: 'Get a bearer token with client credentials, or with a user name and password',
    permission: 'NONE',
    takesClient: true,
    outOfRotation: true,
    body: form,
    success: { status: 200, body: IssuedToken },
    outcomes: {
      400: 'The form is incomplete, the grant type is not supported, or the user name or password is wrong',
      401: 'The client id or secret is wrong, or the client is inactive',
    },
    errorBody: (error: BillingError, status: number) => oauthBody(errorOfStatus(status), error.message),
    errorJson: oauthError,
    async handle({ body, login, tokens }) {
      const grant = { form: body, login, tokens };
      switch (body.get('grant_type') ?? '') {
        case 'client_credentials':
          return byClientCredentials(grant);
        case 'password':
          return byPassword(grant);
        case '':
          return oauthErrorAnswer('invalid_request', 'grant_type needs to be set');
        default:
          return oauthErrorAnswer(
            'unsupported_grant_type',
            'grant_type must be client_credentials or password',
          );
      }
    },
  }),
]);

async function byClientCredentials(grant: Grant): Promise<Answer> {
  const client = await authenticatedClient(grant);
  return client === null ? unknownClient() : tokenFor(client, grant.tokens);
}

/** Issues a token for a name and password. Client credentials are optional. If they are present, they must be valid. */
async function byPassword(grant: Grant): Promise<Answer> {
  const { form: fields, login, tokens } = grant;
  if (clientCredentials(grant) !== null && (await authenticatedClient(grant)) === null)
    return unknownClient();
  const name = fields.get('username') ?? '';
  const secret = fields.get('password') ?? '';
  if (name === '' || secret === '')
    return oauthErrorAnswer('invalid_request', 'username and password need to be set');
  const user = await login.authenticate(PrincipalKind.USER, { name, secret });
  return user === null
    ? oauthErrorAnswer('invalid_grant', 'The user name or password is wrong, or the user is inactive')
    : tokenFor(user, tokens);
}

async function authenticatedClient(grant: Grant): Promise<Principal | null> {
  const credentials = clientCredentials(grant);
  return credentials && grant.login.authenticate(PrincipalKind.CLIENT, credentials);
}

/**
 * Returns the client credentials. They come from the Basic header, possibly form-encoded (RFC 6749 §2.3.1), otherwise
 * from the form.
 */
function clientCredentials({ form: fields, login }: Grant): Credentials | null {
  const basic = login.basic();
  if (basic !== null) return { name: formDecoded(basic.name), secret: formDecoded(basic.secret) };
  const [name, secret] = [fields.get('client_id'), fields.get('client_secret')];
  return name === null || secret === null ? null : { name, secret };
}

/** Decodes form-encoded text. Many clients send the text unencoded, so only text that contains an escape is decoded. */
function formDecoded(text: string): string {
  return /%[0-9a-f]{2}/i.test(text) ? (new URLSearchParams(`v=${text}`).get('v') ?? text) : text;
}

async function tokenFor(principal: Principal, tokens: RequestTokens): Promise<Answer> {
  const { token, expiresInSec } = await tokens.issue(principal);
  const scope = principal.permissions.filter((each) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(each)).join(' ');
  const body = { access_token: token, token_type: 'Bearer', expires_in: expiresInSec, scope };
  return { json: body, headers: noStore };
}

function unknownClient(): Answer {
  const answer = oauthErrorAnswer(
    'invalid_client',
    'The client id or secret is wrong, or the client is inactive',
  );
  return { ...answer, status: 401, headers: { ...noStore, 'WWW-Authenticate': 'Basic realm="service"' } };
}

function oauthErrorAnswer(error: OAuthError, description: string): Answer {
  return { status: 400, json: oauthBody(error, description), headers: noStore };
}

/** Returns the body of an OAuth error. RFC 6749 §5.2 limits the characters in its description. */
function oauthBody(error: OAuthError, description: string) {
  return { error, error_description: description.replace(/"/g, "'").replace(/[^\x20-\x7e]|\\/g, '?') };
}

function errorOfStatus(status: number): OAuthError {
  if (status === 401) return 'invalid_client';
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status < 500 ? 'invalid_request' : 'server_error';
}
