/**
 * The coordinator's cache of scan plans, which the reply to a query's snapshot confirms or
 * replaces, and the estimated cost of reads by these plans. May be called by the other packages of
 * {@code metadata}, {@code read.split} and the root package. May touch {@code handle}, {@code
 * config}, {@code type}, {@code sidecar} and {@code read.prune}.
 */
@NullMarked
package io.stele.connector.metadata.plan;

import org.jspecify.annotations.NullMarked;
