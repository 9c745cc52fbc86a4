import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { credentials, Client as GrpcClient, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { ProbeOutcome } from '../runtime.ts';

const STATES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** Asks a server how it is by gRPC's own health protocol (grpc.health.v1.Health; upstream: pkg/probe/grpc). */
export async function probeGrpc({ host, port, service }: { host: string; port: number; service: string }, timeoutMs: number): Promise<ProbeOutcome> {
  const address = `${host}:${port}`;
  const seconds = `${timeoutMs / 1000}s`;
  const client = new GrpcClient(address, credentials.createInsecure(), { 'grpc.primary_user_agent': 'kube-probe/1.34' });
  const begun = performance.timeOrigin + performance.now();
  try {
    const state = await new Promise<number>((resolve, reject) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (name: string) => Buffer.from(name ? new BinaryWriter().tag(1, WireType.LengthDelimited).string(name).finish() : []),
        stateOf,
        service,
        new Metadata({ waitForReady: true }),
        { deadline: begun + timeoutMs },
        (error: ServiceError | null, answer?: number) => (error ? reject(error) : resolve(answer ?? 0)),
      );
    });
    if (STATES[state] === 'SERVING') return { ok: true, output: 'service healthy' };
    return { ok: false, output: `service unhealthy (responded with "${STATES[state] ?? state}")` };
  } catch (error) {
    const { code, details } = error as ServiceError;
    if (code === status.UNIMPLEMENTED)
      return { ok: false, output: `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}` };
    if (code === status.DEADLINE_EXCEEDED)
      return { ok: false, output: `timeout: failed to connect service ${JSON.stringify(address)} within ${seconds}: context deadline exceeded` };
    return { ok: false, output: `error: health rpc failed: ${details}` };
  } finally {
    client.close();
  }
}

function stateOf(bytes: Buffer): number {
  const reader = new BinaryReader(bytes);
  let state = 0;
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (number === 1) state = reader.int32();
    else reader.skip(wire, number);
  }
  return state;
}
