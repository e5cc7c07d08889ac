/**
 * The coordinator's cache of tables and views between queries, and its invalidation by changes from
 * the sidecar.
 */
@NullMarked
package io.stele.connector.metadata.cache;

import org.jspecify.annotations.NullMarked;
