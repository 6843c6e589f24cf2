import { tableOf } from '../table-of.ts';

/** Before a name. */
export const titles = tableOf(
  `Dr:Doctor, Mr:Mister, Mrs:Missus, Ms:Ms, Prof:Professor, St:Saint, Gen:General, Sgt:Sergeant, Capt:Captain, Lt:Lieutenant,
Col:Colonel, Cmdr:Commander, Maj:Major, Gov:Governor, Hon:Honorable, Sen:Senator, Rep:Representative, Rev:Reverend,
Pres:President, Supt:Superintendent, Assoc:Associate, Asst:Assistant, Fr:Father, Messrs:Messrs, Mt:Mount, Ft:Fort, Bros:Brothers`,
);

/** After a name. */
export const places = tableOf(
  `St:Street, Ave:Avenue, Blvd:Boulevard, Rd:Road, Dr:Drive, Ln:Lane, Pl:Place, Ct:Court, Sq:Square, Pkwy:Parkway, Expy:Expressway, Hwy:Highway, Jr:Junior,
Sr:Senior, Inc:Incorporated, Ltd:Limited, Corp:Corporation, Co:Company, Bros:Brothers`,
);

/** Anywhere, with their period; a capital in front stays one. */
export const anywhere = tableOf(
  `e.g:for example, i.e:that is, a.k.a:also known as, p.a:per annum, cf:compare, viz:namely, esq:Esquire, doz:dozen, vs:versus,
approx:approximately, dept:department, govt:government, incl:including, excl:excluding, misc:miscellaneous, assn:association,
avg:average, hwy:highway, ave:avenue, intl:international, natl:national, tel:telephone, qty:quantity, temp:temperature,
amt:amount, mfg:manufacturing, ref:reference, attn:attention, max:maximum, est:estimated`,
);

/** Before a number, with their period. */
export const beforeNumber = tableOf(
  `no:number, nos:numbers, ver:version, eq:equation, ref:reference, art:Article, bldg:Building, ste:Suite, fl:Floor, p:page,
pp:pages, vol:volume, fig:figure, figs:figures, ch:chapter, chap:chapter, sec:section, ext:extension, apt:Apartment, rm:Room,
hwy:Highway, ca:circa, c:circa, b:born, d:died, r:ruled, est:established, est.:established, op:opus, para:paragraph,
tab:table, pt:part, tel:telephone`,
);
