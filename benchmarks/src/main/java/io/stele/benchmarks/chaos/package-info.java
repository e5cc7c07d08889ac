/**
 * Real servers under real clients while everything around them fails; started by {@code bin/stele
 * chaos}.
 */
@NullMarked
package io.stele.benchmarks.chaos;

import org.jspecify.annotations.NullMarked;
