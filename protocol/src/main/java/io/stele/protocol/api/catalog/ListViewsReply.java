package io.stele.protocol.api.catalog;

import io.stele.protocol.schema.ViewSchema;
import java.util.List;

/** The reply to a request for views, with all views and materialized views. */
public record ListViewsReply(List<ViewSchema> views) {
    public ListViewsReply {
        views = List.copyOf(views);
    }
}
