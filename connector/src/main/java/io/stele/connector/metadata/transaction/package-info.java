/**
 * The state of one Trino transaction: its snapshot, its past versions of tables, and its writes.
 * May be called by {@code metadata} and {@code metadata.view}. May touch {@code metadata.catalog},
 * the caches of {@code metadata}, {@code sidecar} and results of {@code write}.
 */
@NullMarked
package io.stele.connector.metadata.transaction;

import org.jspecify.annotations.NullMarked;
