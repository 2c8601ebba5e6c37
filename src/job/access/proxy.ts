import type { ProxySettings } from '../../api/route.ts';
import { exitCodes } from '../../domain/failures/exit-code.ts';
import { Failure } from '../../domain/failures/failure.ts';
import type { Variables } from '../running/context.ts';

/**
 * The proxy that the environment names for HTTPS: `HTTPS_PROXY`, and `NO_PROXY` for what is not to go through it, each
 * in small letters as well. Its credentials stand in the address and are never shown.
 * @throws Failure (exit 2) when the address is none of a proxy
 */
export function proxyIn(environment: Variables): ProxySettings | undefined {
  const text = variableIn(environment, 'https_proxy').trim();
  if (text === '') return undefined;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) throw unusable();
  const authorization = authorizationIn(address);
  address.username = '';
  address.password = '';
  return { address, authorization, noProxy: variableIn(environment, 'no_proxy') };
}

function variableIn(environment: Variables, name: string): string {
  return environment[name] ?? environment[name.toUpperCase()] ?? '';
}

function authorizationIn({ username, password }: URL): string | null {
  if (username === '') return null;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw unusable();
  }
}

/** Without the value, which may hold a password. */
function unusable(): Failure {
  return new Failure(
    exitCodes.usage,
    'configuration',
    'HTTPS_PROXY is no http or https address of a proxy.',
    'give it as http://proxy.example:3128, or unset it',
  );
}
