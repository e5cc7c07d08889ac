/**
 * Translation between Trino's types, blocks and domains and Stele's. May be called by all packages
 * of {@code metadata}, {@code read} and {@code write}, and by the root package. May touch {@code
 * handle} and {@code config}.
 */
@NullMarked
package io.stele.connector.type;

import org.jspecify.annotations.NullMarked;
