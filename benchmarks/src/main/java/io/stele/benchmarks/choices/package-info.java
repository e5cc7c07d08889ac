/** What the connector chooses by itself beside each choice forced. */
@NullMarked
package io.stele.benchmarks.choices;

import org.jspecify.annotations.NullMarked;
