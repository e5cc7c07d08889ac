/**
 * Long work that people ask for, by ids: its progress, its end, and a way to stop it.
 *
 * <p>The engine and its maintenance report here. It knows nothing of what the work is.
 */
@NullMarked
package io.stele.engine.job;

import org.jspecify.annotations.NullMarked;
