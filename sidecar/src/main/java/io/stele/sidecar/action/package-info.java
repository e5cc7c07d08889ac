/**
 * The actions of the sidecar by name, for Flight's DoAction and for frames: what each does with the
 * engine, and the room that its result takes.
 *
 * <p>The Flight server and the framed server may call it. It may touch the engine, and the headers
 * of the present Flight call.
 */
@NullMarked
package io.stele.sidecar.action;

import org.jspecify.annotations.NullMarked;
