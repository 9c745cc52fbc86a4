import { ipFamily, isCIDR } from '../../../ip-address.ts';
import { dns1123LabelFaults, dns1123SubdomainFaults } from '../../../names.ts';

const HEX = '[0-9a-fA-F]';
const uuid = (version: string, variant: string): RegExp => new RegExp(`^${HEX}{8}-?${HEX}{4}-?${version}${HEX}{3}-?${variant}${HEX}{3}-?${HEX}{12}$`);

/** Formats of texts, by name without dashes (upstream: apiextensions-apiserver/pkg/apiserver/validation/formats.go, kube-openapi/pkg/validation/strfmt). */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: (text) =>
    text.length <= 255 &&
    /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u.test(
      text,
    ),
  ipv4: (text) => ipFamily(text) === 4,
  ipv6: (text) => ipFamily(text) === 6,
  cidr: isCIDR,
  mac: (text) => /^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2})$/.test(text),
  uuid: (text) => uuid(HEX, HEX).test(text),
  uuid3: (text) => uuid('3', HEX).test(text),
  uuid4: (text) => uuid('4', '[89abAB]').test(text),
  uuid5: (text) => uuid('5', '[89abAB]').test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => /^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h)|0)+$/.test(text) || /^\d+ ?(ns|us|ms|s|m|h|d|w)\w*$/.test(text),
  k8sshortname: (text) => dns1123LabelFaults(text).length === 0,
  k8slongname: (text) => dns1123SubdomainFaults(text).length === 0,
};

/** Whether a text is of a format; one that is not known takes every text. */
export function hasFormat(text: string, format: string): boolean {
  return FORMATS[format.replaceAll('-', '')]?.(text) ?? true;
}
