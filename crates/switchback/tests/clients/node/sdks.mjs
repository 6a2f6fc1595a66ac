// What the two TypeScript SDKs name differently.

const about = { name: 'conversation', version: '1' };

// What a client says that it can do: ask whoever sits before it, if someone does.
const abilities = human => ({ capabilities: human ? { elicitation: { form: {} } } : {} });

// The split packages. By default they open with `initialize`; the newer era is asked for.
async function client(era) {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const ways = {
    '2025-06-18': { supportedProtocolVersions: ['2025-06-18'] },
    '2025-11-25': { versionNegotiation: { mode: 'legacy' } },
    '2026-07-28': { versionNegotiation: { mode: 'auto' } },
    pinned: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  };
  return {
    environment: getDefaultEnvironment,
    version: client => client.getNegotiatedProtocolVersion(),
    call: (client, params, options) => client.callTool(params, options),
    async connect(server, human) {
      const client = new Client(about, { ...ways[era], ...abilities(human) });
      if (human) client.setRequestHandler('elicitation/create', ({ params }) => human(params));
      await client.connect(new StdioClientTransport(server));
      return client;
    },
  };
}

// The package before them. It offers the newest version it knows and has no say in it; the transport is told the outcome.
async function sdk(era) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const stdio = await import('@modelcontextprotocol/sdk/client/stdio.js');
  if (era !== '2025-11-25') throw new Error(`this SDK does not choose ${era}`);
  const agreed = new WeakMap();
  return {
    environment: stdio.getDefaultEnvironment,
    version: client => agreed.get(client),
    call: (client, params, options) => client.callTool(params, undefined, options),
    async connect(server, human) {
      const client = new Client(about, abilities(human));
      if (human) client.setRequestHandler(ElicitRequestSchema, ({ params }) => human(params));
      const transport = new stdio.StdioClientTransport(server);
      transport.setProtocolVersion = version => agreed.set(client, version);
      await client.connect(transport);
      return client;
    },
  };
}

export const sdks = { client, sdk };
