/**
 * Long work that people ask for, by ids: its progress, its end, and a way to stop it. It knows
 * nothing of what the work is; the engine and its maintenance report here.
 */
@NullMarked
package io.stele.storage.job;

import org.jspecify.annotations.NullMarked;
