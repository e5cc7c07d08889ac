/**
 * The connector's error codes, and the translation of Stele's failures into Trino's. May be called
 * by every package of the connector. May touch no other package of it.
 */
@NullMarked
package io.stele.connector.error;

import org.jspecify.annotations.NullMarked;
