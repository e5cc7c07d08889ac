/**
 * The lookups of joins: functions that find rows by primary key, and the load of a full cache.
 *
 * <p>The root calls it. It touches sources, tables, types and the client.
 */
@NullMarked
package io.stele.flink.lookup;

import org.jspecify.annotations.NullMarked;
