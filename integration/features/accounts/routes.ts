import { JSONAPI, type Route } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

const ACCOUNT = { ...JSONAPI, writes: 'accounts', option: 'admin' } as const;
const SIGN_IN = {
  errors: 'account',
  contentType: JSON_MEDIA_TYPE,
  option: 'signIn',
  exact: true,
  replaceable: 'page',
} as const;

export const ACCOUNT_ROUTES: readonly Route[] = [
  { ...ACCOUNT, name: 'accounts', below: '/_accounts', methods: ['GET', 'POST'] },
  { ...ACCOUNT, name: 'account', below: '/_accounts/[name]', methods: ['GET', 'PATCH', 'DELETE'] },
  { ...ACCOUNT, name: 'account-tokens', below: '/_accounts/[name]/tokens', methods: ['GET', 'POST'] },
  { ...ACCOUNT, name: 'account-token', below: '/_accounts/[name]/tokens/[id]', methods: ['DELETE'] },
  { ...ACCOUNT, name: 'account-links', below: '/_accounts/[name]/links', methods: ['POST', 'DELETE'] },
  { ...ACCOUNT, name: 'account-sessions', below: '/_accounts/[name]/sessions', methods: ['GET', 'DELETE'] },
  { ...ACCOUNT, name: 'audit', below: '/_audit' },
  {
    ...ACCOUNT,
    name: 'presence',
    below: '/_presence/[entityType]/[bundle]/[...id]',
    methods: ['GET', 'POST'],
  },
  { ...SIGN_IN, name: 'password', path: '/user/password', methods: ['GET', 'POST'] },
  { ...SIGN_IN, name: 'login', path: '/user/login', methods: ['GET', 'POST'] },
  { ...SIGN_IN, name: 'logout', path: '/user/logout', methods: ['GET', 'POST'] },
  { ...SIGN_IN, name: 'login-status', path: '/user/login_status' },
  { ...SIGN_IN, name: 'csrf-token', part: 'drupal', path: '/session/token' },
  { ...SIGN_IN, name: 'access-token', part: 'drupal', path: '/oauth/token', methods: ['POST'] },
];
