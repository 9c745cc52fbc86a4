// Fills an embedded store until its medium takes no more (store.test.ts sees to that), and tells what the store says.
import { openEmbeddedStore } from '../../dist/store/embedded/embedded-store.js';

const store = openEmbeddedStore(process.argv[2]);
const refused = [];
for (let i = 0; refused.length < 2; i++) {
  await store.put(`/key-${i}`, { bytes: Buffer.alloc(4096) }, 0).catch((error) => refused.push(error.name));
}
const { name: failed } = await store.failed;
const readable = (await store.get('/key-0')) !== undefined;
await store.close();
process.stdout.write(JSON.stringify({ failed, refused, readable }));
