/**
 * The opening of splits on workers: which sources, caches and filters their rows pass through. May
 * be called by {@code read.split} and the root package. May touch all other packages of {@code
 * read} but {@code read.split} and {@code read.lookup}.
 */
@NullMarked
package io.stele.connector.read.opening;

import org.jspecify.annotations.NullMarked;
