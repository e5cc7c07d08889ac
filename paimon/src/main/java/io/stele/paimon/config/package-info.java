/**
 * The configuration of a catalog: its keys in the catalog file, and its session properties.
 *
 * <p>May be called by all packages of this module. May touch nothing of it.
 */
@NullMarked
package io.stele.paimon.config;

import org.jspecify.annotations.NullMarked;
