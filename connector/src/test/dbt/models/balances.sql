{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge', properties={'primary_key': "ARRAY['id']"}) }}
SELECT id, amount * {{ var('day') }} AS amount, {{ var('day') }} AS day FROM {{ ref('payments') }}
{% if is_incremental() %} WHERE id >= 2 UNION ALL SELECT BIGINT '9', DECIMAL '1.00' * 1, {{ var('day') }} {% endif %}
