/**
 * Long jobs on request, with ids: their progress, their end, and a way to stop them. The package
 * does not depend on the kind of work; the engine and its maintenance report to it.
 */
@NullMarked
package io.stele.storage.job;

import org.jspecify.annotations.NullMarked;
