/**
 * Stele's schemas and tables as a catalog of Flink.
 *
 * <p>Flink calls it, by its factory. It touches options, types and the client.
 */
@NullMarked
package io.stele.flink.catalog;

import org.jspecify.annotations.NullMarked;
