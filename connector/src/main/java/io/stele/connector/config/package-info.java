/**
 * Configuration of a catalog: its keys in the catalog file and its session properties. May be
 * called by every package of the connector. May touch only {@code handle}.
 */
@NullMarked
package io.stele.connector.config;

import org.jspecify.annotations.NullMarked;
