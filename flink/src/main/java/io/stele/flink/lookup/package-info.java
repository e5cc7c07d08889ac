/**
 * The lookups of joins: functions that find rows by primary key, the load of a full cache, and the
 * shuffle before them.
 *
 * <p>The root calls it. It touches sources, tables, types and the client.
 */
@NullMarked
package io.stele.flink.lookup;

import org.jspecify.annotations.NullMarked;
