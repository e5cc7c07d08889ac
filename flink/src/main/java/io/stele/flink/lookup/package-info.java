/**
 * The lookup functions of joins, which find rows by primary key, blocking or asynchronous.
 *
 * <p>The root calls it. It touches tables, types and the client.
 */
@NullMarked
package io.stele.flink.lookup;

import org.jspecify.annotations.NullMarked;
