/**
 * The coordinator's cache of scan plans between queries; the reply that opens a query's snapshot
 * confirms or replaces them.
 */
@NullMarked
package io.stele.connector.metadata.plan;

import org.jspecify.annotations.NullMarked;
