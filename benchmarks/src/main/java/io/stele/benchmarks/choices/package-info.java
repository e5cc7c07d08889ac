/** The choices of the connector compared with each choice forced. */
@NullMarked
package io.stele.benchmarks.choices;

import org.jspecify.annotations.NullMarked;
