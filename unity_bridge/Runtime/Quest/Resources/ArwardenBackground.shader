// The passthrough camera's picture behind everything that the app draws into the stream.
Shader "arwarden/Background"
{
    Properties
    {
        _MainTex ("Picture", 2D) = "black" {}
    }

    SubShader
    {
        Tags { "Queue" = "Background" "RenderType" = "Opaque" "IgnoreProjector" = "True" }
        Cull Off
        ZTest LEqual
        ZWrite Off

        Pass
        {
            CGPROGRAM
            #pragma vertex vert
            #pragma fragment frag
            #include "UnityCG.cginc"

            sampler2D _MainTex;

            struct Input
            {
                float4 position : POSITION;
                float2 uv : TEXCOORD0;
            };

            struct Varying
            {
                float4 position : SV_POSITION;
                float2 uv : TEXCOORD0;
            };

            Varying vert(Input input)
            {
                Varying output;
                output.position = UnityObjectToClipPos(input.position);
                output.uv = input.uv;
                return output;
            }

            fixed4 frag(Varying input) : SV_Target
            {
                return fixed4(tex2D(_MainTex, input.uv).rgb, 1);
            }
            ENDCG
        }
    }
}
