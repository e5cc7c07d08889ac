/**
 * Schemas, tables and table groups: their versioned snapshots and the one authority that changes
 * them.
 */
@NullMarked
package io.stele.storage.catalog;

import org.jspecify.annotations.NullMarked;
