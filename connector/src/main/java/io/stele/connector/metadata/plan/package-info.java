/**
 * Plans of scans that the coordinator keeps between queries, which the reply to a query's read
 * point confirms or replaces.
 */
@NullMarked
package io.stele.connector.metadata.plan;

import org.jspecify.annotations.NullMarked;
