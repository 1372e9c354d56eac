// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

// Purpose. Texts that must parse, for the tests of this layer; also what its mutation test starts
// from.

namespace rookery::query {

// NOLINTBEGIN(cert-err58-cpp): constant tables.
inline constexpr std::array kExampleQueries = std::to_array<std::string_view>({
    // Sources.
    "from users",
    "from @all_docs",
    "from '@all_docs'",
    "from @empty",
    "from 'it\\'s \\u00e9t\\u00e9'",
    "from \"Order Lines\"",
    "from index 'Users/ByName'",
    "FROM INDEX 'Users/ByName' AS u",
    "from index as i where i.name = 'x'",
    "from Orders o where o.freight > 10",
    "from Dogs (Revisions = true) as d include d.Current.owner, d.Previous.owner",
    "// all of them\nfrom /* every */ Users // here\n",
    // Conditions.
    "from users where age == 5",
    "from users where age >= 30",
    "from Users where age < 0 or age > 1.5e3 or age <> -7",
    "from Users where lastName = 'user1'",
    "from Users where name = $name",
    "from Users where name = 'O''Hara' and nick = \"say \"\"hi\"\"\"",
    "from 'events' where date between $p0 and $p1",
    "from 'events' where date between '2020-01-01' and '2020-12-31' and kind in ('a', 'b')",
    "from 'Users' where name in ($p0)",
    "from 'Users' where name in ()",
    "from 'Users' where tags all in ($p0) and id() in ('users/1', 'users/2')",
    "from 'Users' where exists(name) and not name in ($p0)",
    "from 'Users' where true and not (name = $p0 or name = $p1)",
    "from 'Users' where true and not startsWith(name, $p0)",
    "from 'Users' where active = TRUE and deleted = False and boss = NULL",
    "from 'Articles' where (search(title, $p0) or search(description, $p1)) and isDeleted = $p2",
    "from 'Docs' where search(strVal1, $p0) and boost(search(strVal2, $p1) or search(strVal3, "
    "$p2), $p3)",
    "from 'Users' where search(name, $p0, and)",
    "from 'Users' where search('order', $p0) and 'select' = $p1",
    "from 'Users' where lucene(name, $p0) or regex(text, '^\\d+[a-z]\\'s$')",
    "from 'Users' where exact(name = $p0) and endsWith(name, $p1)",
    "from 'Users' where boost(fuzzy(name = $p0, 0.5), 2)",
    "from 'Users' where proximity(search(name, $p0), 3)",
    "from index 'TShirts' where intersect(manufacturer = $p0 , color = $p1 and size = $p2) ",
    "from index 'DataIndex' where moreLikeThis(id() = $p0) and body = $p1",
    "from index 'DataIndex' where moreLikeThis($p0, $p1)",
    "from 'Users' where name = cmpxchg($p0) and lastName = cmpxchg($p1).owner.name",
    "from Users where name = cmpxchg(\"Hera\")",
    "from 'Users' where when($wanted != null, name = $wanted)",
    "from 'Users' where born > today() or seen < now()",
    "from 'Users' where limit = $p0 and from = $p1 and offset in ($p2) and between between 1 and 2",
    "from 'Users' where @metadata.@last-modified > $p0 and '@metadata'.'@collection' = 'Users'",
    "from Orders where lines[].product = 'products/1' and lines[0].quantity > 3",
    "from Orders as order where order.lines[].tags[] = 'x' and a.order = 1",
    "from Orders where 'first name' = 'x' and \"ship to\".'zip code'[].x = 1",
    "from 'Items' where spatial.within(spatial.point(latitude, longitude), spatial.circle($p0, "
    "$p1, $p2))",
    "from 'Items' where spatial.within(spatial.wkt(shapeWkt), spatial.circle($p0, $p1, $p2, "
    "'Miles'))",
    "from index 'Idx' where spatial.intersects(shape, spatial.wkt($p0, 'Kilometers'), 0.025)",
    "from index 'Idx' where spatial.disjoint(shape, spatial.wkt($p0)) and "
    "spatial.contains(shape, spatial.point(1.5, -2))",
    "from 'Products' where exact(vector.search(embedding.text(Name), $p0, 0.75, 20))",
    "from 'Products' where vector.search(embedding.text(Name, ai.task('id')), $p0)",
    "from 'Products' where vector.search(embedding.f32_i8(Vector), $p0) and stock > 0",
    // Groups.
    "from Orders group by lines[].product order by count() select key() as productName, count() as "
    "count",
    "from Orders\n group by lines[].product, shipTo.country\n order by count()\n select \n "
    "lines[].product as productName, \n shipTo.country as country, \n count() as count",
    "from Orders group by array(lines[].product), array(lines[].quantity) order by count() select "
    "lines[].product as products",
    "from 'Orders' group by Array(lines[].product), employee where employee = $p0 select key() as "
    "'key', sum(freight) as total",
    "from 'Users' group by 'order' select 'order' as 'order', sum(order) as s",
    // Orders.
    "from users order by name",
    "from users order by name desc, age as long, born AS double DESCENDING, code as alphaNumeric "
    "asc, x as string ascending",
    "from users order by name nulls first, age as long desc nulls last",
    "from users order by score() desc, random(), random('it''s'), id()",
    "from Companies order by custom(name, 'MySorter') desc",
    "from users order by limit limit 5",
    "from Items as a order by spatial.distance(spatial.point(a.lat, a.lng), spatial.point(35.1, "
    "-106.3), 25), name",
    "from 'Items' order by spatial.distance(spatial.point(lat, lng), spatial.point($p0, $p1), $p2) "
    "desc",
    "from 'Items' order by spatial.distance(location, spatial.wkt($p0))",
    // Loads and projections.
    "from Orders as o load o.company as c select { order: o, company: c.name }",
    "from 'Orders' as o where o.freight > $p0 load o.company as c, o.lines[].product as products[] "
    "select c.name as name",
    "from users select name",
    "from users select distinct name, address.city as city",
    "from users select distinct *",
    "from users select *",
    "from users select null, id() as id, 5 as five, true as yes, $p0 as given",
    "from users select distinct, name",
    "from users select distinct",
    "from users select distinct as d",
    "from users select counter(\"Downloads\") as downloads",
    "from users as u select counter(u, \"Downloads\") as downloads, counterRaw(u, 'likes')",
    "\n   from Users as u select { name: u.name, downloads: counter(u, 'downloads') }",
    "from index 'UserIndex' as u select { roles : u.roles.map(function(r){return {role:r.role};}) "
    "} include 'u.roles[].role'",
    "declare function incl(c) {\n    includes.cmpxchg(c.externalId);\n    return c;\n}\nfrom "
    "Companies as c\nselect incl(c)",
    "declare function f(o, s = '}') { return /[}\"]/.test(s) ? `${o.a + `}`}}` : '}' /* } */; // }"
    "\n} from Orders as o select f(o)",
    "declare function sum(a) { return a.length / 2 / a[0] } from Orders as o select sum('x')",
    // Facets and suggestions.
    "from index 'CameraCost' select facet(id('facets/CameraFacets'))",
    "from index 'CameraCost' where cost < 200 select facet(id('facets/CameraFacets'))",
    "from 'Cameras' select facet(manufacturer, sum(price) as total, $p0) as m, facet(cost < $p1, "
    "cost >= $p1 and cost < $p2, cost >= $p2, max(price), min(price), avg(price)), facet(order)",
    "from 'Cameras' select facet(cost between 1 and 2, 'my field') as 'my facet'",
    "from index 'Users/ByName' select suggest(name, $p0)",
    "from index 'Users/ByName' select suggest(name, $p0, $p1) as NickName, suggest(company, 'x')",
    // Time series.
    "declare timeseries out()\n{\n    from \"gas } m3 usage\" // }\n}\nfrom Users as u\nselect "
    "out()",
    "declare timeseries a(doc)\n{\n from doc.HeartRate between $start and $end\n group by 1h\n "
    "select min(), max()\n}\ndeclare timeseries b(doc)\n{\n from doc.BloodPressure\n}\nfrom index "
    "'People' as p\nwhere p.age > 49\nselect a(p) as heartRate, b(p) as bloodPressure",
    "from 'People' as p where p.age > $p0 select timeseries(from Heartrate between $start and "
    "$end\nwhere Tag = 'watches/)fitbit' and (Value > 1)\ngroup by '1 month'\nselect min(), "
    "max()) as __timeSeriesQueryFunction",
    // Filters.
    "from Employees filter name = 'Jane'",
    "from Employees filter name = 'Jane' filter_limit 1",
    "from 'Employees' where a = $p0 order by b filter c = $p1 and d = e select f limit $p2, $p3 "
    "filter_limit $p4",
    "declare function t(e) { return e.t; } from Employees as e filter t(e) and startsWith(e.f, "
    "'A')",
    "from Employees where a = 1 select b filter c = 2 filter_limit 10 include d limit 5",
    // Updates.
    "from Users update {  this.name= \"Patched\"  }",
    "from Users update { throw 5; }",
    "FROM INDEX 'TestIndex' Where value = 1 UPDATE {{ put('NewItem/3', {'copiedValue': this.value "
    "}); }}",
    "from Orders as o load o.company as c update { o.companyName = c.name + '}'; }",
    // Includes.
    "from 'orders' include counters('downloads'),counters('likes')",
    "from 'Orders' include company,counters(employee, 'downloads'),counters(),counters(order)",
    "from @all_docs include counters($p0)",
    "from Users where name = 'Omer' include revisions($p0), revisions('2020-01-01T00:00:00Z')",
    "from 'Users' include timeseries('Heartrate', null,null),timeseries(employee, 'H', last(10)), "
    "timeseries('H', last(1, 'Hour')), timeseries(u.e, 'H', '2020-01-01', '2021-01-01')",
    "from 'Users' include cmpxchg('path'), order, lines[].product, 'lines[].product'",
    "from index 'Idx' where search(text, $p0) include highlight(text,18,2,$p1),explanations($p2),"
    "timings()",
    "from 'Users' include explanations(),highlight('order',18,2)",
    // Pages.
    "from Users limit 5",
    "from Users limit $p0, $p1",
    "from Users limit 10 offset 20",
    "from Users offset 20",
    "from Users offset $p0 limit 5",
    // Names that look like keywords.
    "from Users select name as as, age as 'select', x as \"two words\"",
    "from Users select from, update, index, desc, nulls, all, in as between",
    "from Users order by desc desc, nulls nulls first",
    "from Users where \xC3\xA9t\xC3\xA9 = '\xE2\x82\xAC'",
});

inline constexpr std::array kGraphQueries = std::to_array<std::string_view>({
    "match (Dogs as a)-[Likes]->(Dogs as f)<-[Likes]-(Dogs as b)",
    " match (Dogs as a)-[Likes]->(Dogs as f) select { a: a }",
    "match ()-[hasRated select movie]->(Movies as m) select m",
    "with {from Users} as u match (u)",
    "with edges(Likes) as l match (f1)-[l]->(f2)",
    "declare function f() {} match (_ as v)",
});
// NOLINTEND(cert-err58-cpp)

}  // namespace rookery::query
