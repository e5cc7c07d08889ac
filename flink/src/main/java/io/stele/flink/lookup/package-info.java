/**
 * Lookups of rows by primary key for joins, blocking and not.
 *
 * <p>The root calls it. It touches tables, types and the client.
 */
@NullMarked
package io.stele.flink.lookup;

import org.jspecify.annotations.NullMarked;
