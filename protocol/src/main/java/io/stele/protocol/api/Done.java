package io.stele.protocol.api;

import com.fasterxml.jackson.annotation.JsonAutoDetect;

/** An empty reply or request: {@code {}}. */
@JsonAutoDetect
public record Done() {
    public static final Done DONE = new Done();
}
