// An https server of our own for admission and conversion webhooks; the path says what it answers.
import https from 'node:https';
// own, other: { key, cert }, of the same name
export async function startHook(own, other) {
  const log = [];
  const b64 = o => Buffer.from(JSON.stringify(o)).toString('base64');
  const patched = ops => ({ allowed: true, patchType: 'JSONPatch', patch: b64(ops) });
  const label = (o, k, v) => o.metadata.labels ? [{ op: 'add', path: `/metadata/labels/${k}`, value: v }] : [{ op: 'add', path: '/metadata/labels', value: { [k]: v } }];
  const answers = {
    allow: () => ({ allowed: true }),
    deny: () => ({ allowed: false, status: { message: 'not on a Monday' } }),
    'deny-plain': () => ({ allowed: false }),
    'deny-code': () => ({ allowed: false, status: { code: 409, reason: 'Conflict', message: 'somebody was here before', details: { name: 'other', causes: [{ reason: 'x', message: 'm', field: 'f' }] } } }),
    'deny-reason': () => ({ allowed: false, status: { reason: 'quite impossible' } }),
    'deny-200': () => ({ allowed: false, status: { code: 200, message: 'code is 200' } }),
    warn: () => ({ allowed: true, warnings: ['first', 'second', 'x'.repeat(300)] }),
    'deny-warn': () => ({ allowed: false, status: { message: 'no' }, warnings: ['and a warning'] }),
    'label-a': r => patched(label(r.object, 'a', 'one')),
    'label-b': r => patched(label(r.object, 'b', r.object.metadata.labels?.a ? 'saw-a' : 'no-a')),
    'label-a-if-b': r => r.object.metadata.labels?.b ? patched(label(r.object, 'a', 'after-b')) : { allowed: true },
    'data': r => patched([r.object.data ? { op: 'add', path: '/data/hooked', value: 'yes' } : { op: 'add', path: '/data', value: { hooked: 'yes' } }]),
    'bad-patch': () => patched([{ op: 'replace', path: '/nothing/here', value: 1 }]),
    'bad-label': r => patched(label(r.object, 'bad', 'not valid!')),
    'name-patch': () => patched([{ op: 'replace', path: '/metadata/name', value: 'renamed' }]),
    'unknown-field': () => patched([{ op: 'add', path: '/nosuch', value: 1 }]),
    'patch-notype': r => ({ allowed: true, patch: b64(label(r.object, 'a', '1')) }),
    'patch-badtype': r => ({ allowed: true, patchType: 'MergePatch', patch: b64({ metadata: { labels: { a: '1' } } }) }),
    audit: () => ({ allowed: true, auditAnnotations: { a: 'b' } }),
  };
  const server = https.createServer(own, (req, res) => {
    const chunks = []; req.on('data', c => chunks.push(c)); req.on('end', () => {
      const url = new URL(req.url, 'https://x'); const name = url.pathname.slice(1).split('/')[0];
      let review = {}; try { review = JSON.parse(Buffer.concat(chunks)); } catch { }
      const send = (o, code = 200) => { const t = typeof o === 'string' ? o : JSON.stringify(o); res.writeHead(code, { 'content-type': 'application/json' }); res.end(t); };
      log.push({ url: req.url, kind: review.kind, apiVersion: review.apiVersion, contentType: req.headers['content-type'], request: review.request });
      if (review.kind === 'ConversionReview') {
        const q = review.request;
        if (name === 'convert-fail') return send({ apiVersion: review.apiVersion, kind: review.kind, response: { uid: q.uid, convertedObjects: [], result: { status: 'Failed', message: 'cannot turn it' } } });
        return send({ apiVersion: review.apiVersion, kind: review.kind, response: { uid: q.uid, result: { status: 'Success' }, convertedObjects: q.objects.map(o => { const n = { ...o, apiVersion: q.desiredAPIVersion }; if (o.spec) n.spec = q.desiredAPIVersion.endsWith('/v1beta1') ? { dimension: o.spec.size ?? o.spec.dimension } : { size: o.spec.dimension ?? o.spec.size }; return n; }) } });
      }
      const uid = review.request?.uid; const wrap = (response, over = {}) => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...response }, ...over });
      if (name === 'slow') return setTimeout(() => send(wrap({ allowed: true })), 3000);
      if (name === 'bad-json') return send('this is not JSON');
      if (name === 'empty') return send('');
      if (name === 'wrong-uid') return send(wrap({ uid: 'other', allowed: true }));
      if (name === 'wrong-version') return send(wrap({ allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' }));
      if (name === 'no-version') return send(wrap({ allowed: true }, { apiVersion: undefined, kind: undefined }));
      if (name === 'no-response') return send({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
      if (name === 'broken') return send('something broke', 500);
      if (name === 'missing') return send('nothing here', 404);
      if (name === 'redirect') { res.writeHead(302, { location: '/allow' }); return res.end(); }
      send(wrap((answers[name] ?? answers.allow)(review.request ?? {})));
    });
  });
  await new Promise(r => server.listen(0, '127.0.0.1', r));
  return { host: `127.0.0.1:${server.address().port}`, ca: Buffer.from(own.cert).toString('base64'), other: Buffer.from(other.cert).toString('base64'), close: () => { server.closeAllConnections(); server.close(); },
    seen: ns => { const mine = log.filter(l => JSON.stringify(l).includes(ns)); for (const m of mine) log.splice(log.indexOf(m), 1); for (const m of mine) if (m.request) { const strip = o => { if (o?.metadata) delete o.metadata.managedFields; }; strip(m.request.object); strip(m.request.oldObject); for (const o of m.request.objects ?? []) strip(o); } return mine; } };
}
