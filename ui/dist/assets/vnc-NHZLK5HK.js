function ss(t){return t>>>0}function nt(t){return t|0}var rs="warn",L=()=>{},V=()=>{},Z=()=>{},U=()=>{};function an(t){if(typeof t>"u"?t=rs:rs=t,L=V=Z=U=()=>{},typeof window.console<"u")switch(t){case"debug":L=console.
debug.bind(window.console);case"info":V=console.info.bind(window.console);case"warn":Z=console.warn.bind(window.console);case"error":U=console.error.bind(window.
console);case"none":break;default:throw new window.Error("invalid logging type '"+t+"'")}}an();function Ht(t,i=!1){try{return decodeURIComponent(escape(t))}catch(e){if(e instanceof URIError&&i)return t;throw e}}function le(t){return unescape(encodeURIComponent(
t))}var Ue={toBase64Table:"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".split(""),base64Pad:"=",encode(t){"use strict";let i="",e=t.length,s=e%
3;for(let n=0;n<e-2;n+=3)i+=this.toBase64Table[t[n]>>2],i+=this.toBase64Table[((t[n]&3)<<4)+(t[n+1]>>4)],i+=this.toBase64Table[((t[n+1]&15)<<2)+(t[n+2]>>6)],i+=
this.toBase64Table[t[n+2]&63];let r=e-s;return s===2?(i+=this.toBase64Table[t[r]>>2],i+=this.toBase64Table[((t[r]&3)<<4)+(t[r+1]>>4)],i+=this.toBase64Table[(t[r+
1]&15)<<2],i+=this.toBase64Table[64]):s===1&&(i+=this.toBase64Table[t[r]>>2],i+=this.toBase64Table[(t[r]&3)<<4],i+=this.toBase64Table[64],i+=this.toBase64Table[64]),
i},toBinaryTable:[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,62,-1,-1,-1,63,
52,53,54,55,56,57,58,59,60,61,-1,-1,-1,0,-1,-1,-1,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,-1,-1,-1,-1,-1,-1,26,27,28,29,30,31,32,33,
34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,-1,-1,-1,-1,-1],decode(t,i=0){let e=t.indexOf("=")-i;e<0&&(e=t.length-i);let s=(e>>2)*3+Math.floor(e%4/1.5),
r=new Array(s),n=0,a=0;for(let h=0,c=i;c<t.length;c++){let o=this.toBinaryTable[t.charCodeAt(c)&127],l=t.charAt(c)===this.base64Pad;if(o===-1){U("Illegal charac\
ter code "+t.charCodeAt(c)+" at position "+c);continue}a=a<<6|o,n+=6,n>=8&&(n-=8,l||(r[h++]=a>>n&255),a&=(1<<n)-1)}if(n){let h=new Error("Corrupted base64 strin\
g");throw h.name="Base64-Error",h}return r}};var gi="ontouchstart"in document.documentElement||document.ontouchstart!==void 0||navigator.maxTouchPoints>0||navigator.msMaxTouchPoints>0;window.addEventListener(
"touchstart",function t(){gi=!0,window.removeEventListener("touchstart",t,!1)},!1);var at=10*(window.devicePixelRatio||1),ns=!1;try{let t=document.createElement(
"canvas");t.style.cursor='url("data:image/x-icon;base64,AAACAAEACAgAAAIAAgA4AQAAFgAAACgAAAAIAAAAEAAAAAEAIAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAD/////////////////////\
////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////\
////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////\
AAAAAAAAAAAAAAAAAAAAAA==") 2 2, default',t.style.cursor.indexOf("url")===0?(V("Data URI scheme cursor supported"),ns=!0):Z("Data URI scheme cursor not supported")}catch(t){
U("Data URI scheme cursor test exception: "+t)}var as=ns,on=!0;try{let t=document.createElement("div");t.style.visibility="hidden",t.style.overflow="scroll",document.
body.appendChild(t);let i=document.createElement("div");t.appendChild(i);let e=t.offsetWidth-i.offsetWidth;t.parentNode.removeChild(t),on=e!=0}catch(t){U("Scrol\
lbar test exception: "+t)}var bi=!1;async function hn(){if(!("VideoDecoder"in window))return!1;let t={codec:"avc1.42401f",codedWidth:1920,codedHeight:1080,optimizeForLatency:!0};if(!(await VideoDecoder.
isConfigSupported(t)).supported)return!1;let e=new Uint8Array(Ue.decode("AAAAAWdCwBTZnpuAgICgAAADACAAAAZB4oVNAAAAAWjJYyyAAAABBgX//4HcRem95tlIt5Ys2CDZI+7veDI2NCA\
tIGNvcmUgMTY0IHIzMTA4IDMxZTE5ZjkgLSBILjI2NC9NUEVHLTQgQVZDIGNvZGVjIC0gQ29weWxlZnQgMjAwMy0yMDIzIC0gaHR0cDovL3d3dy52aWRlb2xhbi5vcmcveDI2NC5odG1sIC0gb3B0aW9uczogY2F\
iYWM9MCByZWY9NSBkZWJsb2NrPTE6MDowIGFuYWx5c2U9MHgxOjB4MTExIG1lPWhleCBzdWJtZT04IHBzeT0xIHBzeV9yZD0xLjAwOjAuMDAgbWl4ZWRfcmVmPTEgbWVfcmFuZ2U9MTYgY2hyb21hX21lPTEgdHJ\
lbGxpcz0yIDh4OGRjdD0wIGNxbT0wIGRlYWR6b25lPTIxLDExIGZhc3RfcHNraXA9MSBjaHJvbWFfcXBfb2Zmc2V0PS0yIHRocmVhZHM9MSBsb29rYWhlYWRfdGhyZWFkcz0xIHNsaWNlZF90aHJlYWRzPTAgbnI\
9MCBkZWNpbWF0ZT0xIGludGVybGFjZWQ9MCBibHVyYXlfY29tcGF0PTAgY29uc3RyYWluZWRfaW50cmE9MCBiZnJhbWVzPTAgd2VpZ2h0cD0wIGtleWludD1pbmZpbml0ZSBrZXlpbnRfbWluPTI1IHNjZW5lY3V\
0PTQwIGludHJhX3JlZnJlc2g9MCByY19sb29rYWhlYWQ9NTAgcmM9YWJyIG1idHJlZT0xIGJpdHJhdGU9NDAwIHJhdGV0b2w9MS4wIHFjb21wPTAuNjAgcXBtaW49MCBxcG1heD02OSBxcHN0ZXA9NCBpcF9yYXR\
pbz0xLjQwIGFxPTE6MS4wMACAAAABZYiEBrxmKAAPVccAAS044AA5DRJMnkycJk4TPw==")),s=!1,r=null,n=new VideoDecoder({output:h=>{s=!0,h.close()},error:h=>{r=h}}),a=new EncodedVideoChunk(
{timestamp:0,type:"key",data:e});n.configure(t),n.decode(a);try{await n.flush()}catch(h){r=h}return!(!s||r!==null)}bi=await hn();function ve(){return!!/mac/i.exec(
navigator.platform)}function Ne(){return!!/win/i.exec(navigator.platform)}function Oe(){return!!/ipad/i.exec(navigator.platform)||!!/iphone/i.exec(navigator.platform)||
!!/ipod/i.exec(navigator.platform)}function ze(t,i,e){let s=e.getBoundingClientRect(),r={x:0,y:0};return t<s.left?r.x=0:t>=s.right?r.x=s.width-1:r.x=t-s.left,i<s.top?r.y=0:i>=s.bottom?r.y=s.height-
1:r.y=i-s.top,r}function Ae(t){t.stopPropagation(),t.preventDefault()}var mi=!1,hs=null;document.captureElement=null;function Ee(t){if(mi)return;let i=new t.constructor(t.type,
t);mi=!0,document.captureElement?document.captureElement.dispatchEvent(i):hs.dispatchEvent(i),mi=!1,t.stopPropagation(),i.defaultPrevented&&t.preventDefault(),t.
type==="mouseup"&&fs()}function ls(){let t=document.getElementById("noVNC_mouse_capture_elem");t.style.cursor=window.getComputedStyle(document.captureElement).cursor}
var cs=new MutationObserver(ls);function _s(t){if(t.setCapture)t.setCapture(),document.captureElement=t;else{fs();let i=document.getElementById("noVNC_mouse_cap\
ture_elem");i===null&&(i=document.createElement("div"),i.id="noVNC_mouse_capture_elem",i.style.position="fixed",i.style.top="0px",i.style.left="0px",i.style.width=
"100%",i.style.height="100%",i.style.zIndex=1e4,i.style.display="none",document.body.appendChild(i),i.addEventListener("contextmenu",Ee),i.addEventListener("mou\
semove",Ee),i.addEventListener("mouseup",Ee)),document.captureElement=t,cs.observe(t,{attributes:!0}),ls(),i.style.display="",window.addEventListener("mousemove",
Ee),window.addEventListener("mouseup",Ee)}}function fs(){if(document.releaseCapture)document.releaseCapture(),document.captureElement=null;else{if(!document.captureElement)
return;hs=document.captureElement,document.captureElement=null,cs.disconnect();let t=document.getElementById("noVNC_mouse_capture_elem");t.style.display="none",
window.removeEventListener("mousemove",Ee),window.removeEventListener("mouseup",Ee)}}var Ce=class{constructor(){this._listeners=new Map}addEventListener(i,e){this._listeners.has(i)||this._listeners.set(i,new Set),this._listeners.get(i).add(e)}removeEventListener(i,e){
this._listeners.has(i)&&this._listeners.get(i).delete(e)}dispatchEvent(i){return this._listeners.has(i.type)?(this._listeners.get(i.type).forEach(e=>e.call(this,
i)),!i.defaultPrevented):!0}};var ot=class{constructor(i){if(this._drawCtx=null,this._renderQ=[],this._flushPromise=null,this._fbWidth=0,this._fbHeight=0,this._prevDrawStyle="",L(">> Display\
.constructor"),this._target=i,!this._target)throw new Error("Target must be set");if(typeof this._target=="string")throw new Error("target must be a DOM element");
if(!this._target.getContext)throw new Error("no getContext method");this._targetCtx=this._target.getContext("2d"),this._viewportLoc={x:0,y:0,w:this._target.width,
h:this._target.height},this._backbuffer=document.createElement("canvas"),this._drawCtx=this._backbuffer.getContext("2d"),this._damageBounds={left:0,top:0,right:this.
_backbuffer.width,bottom:this._backbuffer.height},L("User Agent: "+navigator.userAgent),L("<< Display.constructor"),this._scale=1,this._clipViewport=!1}get scale(){
return this._scale}set scale(i){this._rescale(i)}get clipViewport(){return this._clipViewport}set clipViewport(i){this._clipViewport=i;let e=this._viewportLoc;this.
viewportChangeSize(e.w,e.h),this.viewportChangePos(0,0)}get width(){return this._fbWidth}get height(){return this._fbHeight}viewportChangePos(i,e){let s=this._viewportLoc;
i=Math.floor(i),e=Math.floor(e),this._clipViewport||(i=-s.w,e=-s.h);let r=s.x+s.w-1,n=s.y+s.h-1;i<0&&s.x+i<0&&(i=-s.x),r+i>=this._fbWidth&&(i-=r+i-this._fbWidth+
1),s.y+e<0&&(e=-s.y),n+e>=this._fbHeight&&(e-=n+e-this._fbHeight+1),!(i===0&&e===0)&&(L("viewportChange deltaX: "+i+", deltaY: "+e),s.x+=i,s.y+=e,this._damage(s.
x,s.y,s.w,s.h),this.flip())}viewportChangeSize(i,e){(!this._clipViewport||typeof i>"u"||typeof e>"u")&&(L("Setting viewport to full display region"),i=this._fbWidth,
e=this._fbHeight),i=Math.floor(i),e=Math.floor(e),i>this._fbWidth&&(i=this._fbWidth),e>this._fbHeight&&(e=this._fbHeight);let s=this._viewportLoc;if(s.w!==i||s.
h!==e){s.w=i,s.h=e;let r=this._target;r.width=i,r.height=e,this.viewportChangePos(0,0),this._damage(s.x,s.y,s.w,s.h),this.flip(),this._rescale(this._scale)}}absX(i){
return this._scale===0?0:nt(i/this._scale+this._viewportLoc.x)}absY(i){return this._scale===0?0:nt(i/this._scale+this._viewportLoc.y)}resize(i,e){this._prevDrawStyle=
"",this._fbWidth=i,this._fbHeight=e;let s=this._backbuffer;if(s.width!==i||s.height!==e){let n=null;s.width>0&&s.height>0&&(n=this._drawCtx.getImageData(0,0,s.width,
s.height)),s.width!==i&&(s.width=i),s.height!==e&&(s.height=e),n&&this._drawCtx.putImageData(n,0,0)}let r=this._viewportLoc;this.viewportChangeSize(r.w,r.h),this.
viewportChangePos(0,0)}getImageData(){return this._drawCtx.getImageData(0,0,this.width,this.height)}toDataURL(i,e){return this._backbuffer.toDataURL(i,e)}toBlob(i,e,s){
return this._backbuffer.toBlob(i,e,s)}_damage(i,e,s,r){i<this._damageBounds.left&&(this._damageBounds.left=i),e<this._damageBounds.top&&(this._damageBounds.top=
e),i+s>this._damageBounds.right&&(this._damageBounds.right=i+s),e+r>this._damageBounds.bottom&&(this._damageBounds.bottom=e+r)}flip(i){if(this._renderQ.length!==
0&&!i)this._renderQPush({type:"flip"});else{let e=this._damageBounds.left,s=this._damageBounds.top,r=this._damageBounds.right-e,n=this._damageBounds.bottom-s,a=e-
this._viewportLoc.x,h=s-this._viewportLoc.y;a<0&&(r+=a,e-=a,a=0),h<0&&(n+=h,s-=h,h=0),a+r>this._viewportLoc.w&&(r=this._viewportLoc.w-a),h+n>this._viewportLoc.h&&
(n=this._viewportLoc.h-h),r>0&&n>0&&this._targetCtx.drawImage(this._backbuffer,e,s,r,n,a,h,r,n),this._damageBounds.left=this._damageBounds.top=65535,this._damageBounds.
right=this._damageBounds.bottom=0}}pending(){return this._renderQ.length>0}flush(){return this._renderQ.length===0?Promise.resolve():(this._flushPromise===null&&
(this._flushPromise=new Promise(i=>{this._flushResolve=i})),this._flushPromise)}fillRect(i,e,s,r,n,a){this._renderQ.length!==0&&!a?this._renderQPush({type:"fill",
x:i,y:e,width:s,height:r,color:n}):(this._setFillColor(n),this._drawCtx.fillRect(i,e,s,r),this._damage(i,e,s,r))}copyImage(i,e,s,r,n,a,h){this._renderQ.length!==
0&&!h?this._renderQPush({type:"copy",oldX:i,oldY:e,x:s,y:r,width:n,height:a}):(this._drawCtx.mozImageSmoothingEnabled=!1,this._drawCtx.webkitImageSmoothingEnabled=
!1,this._drawCtx.msImageSmoothingEnabled=!1,this._drawCtx.imageSmoothingEnabled=!1,this._drawCtx.drawImage(this._backbuffer,i,e,n,a,s,r,n,a),this._damage(s,r,n,
a))}imageRect(i,e,s,r,n,a){if(s===0||r===0)return;let h=new Image;h.src="data: "+n+";base64,"+Ue.encode(a),this._renderQPush({type:"img",img:h,x:i,y:e,width:s,height:r})}videoFrame(i,e,s,r,n){
this._renderQPush({type:"frame",frame:n,x:i,y:e,width:s,height:r})}blitImage(i,e,s,r,n,a,h){if(this._renderQ.length!==0&&!h){let c=new Uint8Array(s*r*4);c.set(new Uint8Array(
n.buffer,0,c.length)),this._renderQPush({type:"blit",data:c,x:i,y:e,width:s,height:r})}else{let c=new Uint8ClampedArray(n.buffer,n.byteOffset+a,s*r*4),o=new ImageData(
c,s,r);this._drawCtx.putImageData(o,i,e),this._damage(i,e,s,r)}}drawImage(i,...e){if(this._drawCtx.drawImage(i,...e),e.length<=4){let[s,r]=e;this._damage(s,r,i.
width,i.height)}else{let[,,s,r,n,a]=e;this._damage(n,a,s,r)}}autoscale(i,e){let s;if(i===0||e===0)s=0;else{let r=this._viewportLoc,n=i/e;r.w/r.h>=n?s=i/r.w:s=e/
r.h}this._rescale(s)}_rescale(i){this._scale=i;let e=this._viewportLoc,s=i*e.w+"px",r=i*e.h+"px";(this._target.style.width!==s||this._target.style.height!==r)&&
(this._target.style.width=s,this._target.style.height=r)}_setFillColor(i){let e="rgb("+i[0]+","+i[1]+","+i[2]+")";e!==this._prevDrawStyle&&(this._drawCtx.fillStyle=
e,this._prevDrawStyle=e)}_renderQPush(i){this._renderQ.push(i),this._renderQ.length===1&&this._scanRenderQ()}_resumeRenderQ(){this.removeEventListener("load",this.
_noVNCDisplay._resumeRenderQ),this._noVNCDisplay._scanRenderQ()}_scanRenderQ(){let i=!0;for(;i&&this._renderQ.length>0;){let e=this._renderQ[0];switch(e.type){case"\
flip":this.flip(!0);break;case"copy":this.copyImage(e.oldX,e.oldY,e.x,e.y,e.width,e.height,!0);break;case"fill":this.fillRect(e.x,e.y,e.width,e.height,e.color,!0);
break;case"blit":this.blitImage(e.x,e.y,e.width,e.height,e.data,0,!0);break;case"img":if(e.img.complete){if(e.img.width!==e.width||e.img.height!==e.height){U("D\
ecoded image has incorrect dimensions. Got "+e.img.width+"x"+e.img.height+". Expected "+e.width+"x"+e.height+".");return}this.drawImage(e.img,e.x,e.y),e.img.src=
""}else e.img._noVNCDisplay=this,e.img.addEventListener("load",this._resumeRenderQ),i=!1;break;case"frame":if(e.frame.ready){let s=e.frame.frame;(s.codedWidth<e.
width||s.codedHeight<e.height)&&Z("Decoded video frame does not cover its full rectangle area. Expecting at least "+e.width+"x"+e.height+" but got "+s.codedWidth+
"x"+s.codedHeight);let r=0,n=0,a=e.width,h=e.height,c=e.x,o=e.y,l=a,u=h;this.drawImage(s,r,n,a,h,c,o,l,u),s.close()}else{let s=this;e.frame.promise.then(()=>{s.
_scanRenderQ()}),i=!1}break}i&&this._renderQ.shift()}this._renderQ.length===0&&this._flushPromise!==null&&(this._flushResolve(),this._flushPromise=null,this._flushResolve=
null)}};function oe(t,i,e,s,r){if(i.subarray&&t.subarray){t.set(i.subarray(e,e+s),r);return}for(var n=0;n<s;n++)t[r+n]=i[e+n]}var Ge=Uint8Array,ie=Uint16Array,ht=Int32Array;function Ve(t,i,e,s){for(var r=t&65535|0,n=t>>>16&65535|0,a=0;e!==0;){a=e>2e3?2e3:e,e-=a;do r=r+i[s++]|0,n=n+r|0;while(--a);r%=65521,n%=65521}return r|n<<16|0}function G(){for(var t,i=[],e=0;e<256;e++){t=e;for(var s=0;s<8;s++)t=t&1?3988292384^t>>>1:t>>>1;i[e]=t}return i}var Wa=G();var Nt=30,ln=12;function wi(t,i){var e,s,r,n,a,h,c,o,l,u,d,x,X,k,A,F,T,E,K,C,I,S,D,B,M;e=t.state,s=t.next_in,B=t.input,r=s+(t.avail_in-5),n=t.next_out,M=t.output,
a=n-(i-t.avail_out),h=n+(t.avail_out-257),c=e.dmax,o=e.wsize,l=e.whave,u=e.wnext,d=e.window,x=e.hold,X=e.bits,k=e.lencode,A=e.distcode,F=(1<<e.lenbits)-1,T=(1<<
e.distbits)-1;e:do{X<15&&(x+=B[s++]<<X,X+=8,x+=B[s++]<<X,X+=8),E=k[x&F];t:for(;;){if(K=E>>>24,x>>>=K,X-=K,K=E>>>16&255,K===0)M[n++]=E&65535;else if(K&16){C=E&65535,
K&=15,K&&(X<K&&(x+=B[s++]<<X,X+=8),C+=x&(1<<K)-1,x>>>=K,X-=K),X<15&&(x+=B[s++]<<X,X+=8,x+=B[s++]<<X,X+=8),E=A[x&T];i:for(;;){if(K=E>>>24,x>>>=K,X-=K,K=E>>>16&255,
K&16){if(I=E&65535,K&=15,X<K&&(x+=B[s++]<<X,X+=8,X<K&&(x+=B[s++]<<X,X+=8)),I+=x&(1<<K)-1,I>c){t.msg="invalid distance too far back",e.mode=Nt;break e}if(x>>>=K,
X-=K,K=n-a,I>K){if(K=I-K,K>l&&e.sane){t.msg="invalid distance too far back",e.mode=Nt;break e}if(S=0,D=d,u===0){if(S+=o-K,K<C){C-=K;do M[n++]=d[S++];while(--K);
S=n-I,D=M}}else if(u<K){if(S+=o+u-K,K-=u,K<C){C-=K;do M[n++]=d[S++];while(--K);if(S=0,u<C){K=u,C-=K;do M[n++]=d[S++];while(--K);S=n-I,D=M}}}else if(S+=u-K,K<C){
C-=K;do M[n++]=d[S++];while(--K);S=n-I,D=M}for(;C>2;)M[n++]=D[S++],M[n++]=D[S++],M[n++]=D[S++],C-=3;C&&(M[n++]=D[S++],C>1&&(M[n++]=D[S++]))}else{S=n-I;do M[n++]=
M[S++],M[n++]=M[S++],M[n++]=M[S++],C-=3;while(C>2);C&&(M[n++]=M[S++],C>1&&(M[n++]=M[S++]))}}else if((K&64)===0){E=A[(E&65535)+(x&(1<<K)-1)];continue i}else{t.msg=
"invalid distance code",e.mode=Nt;break e}break}}else if((K&64)===0){E=k[(E&65535)+(x&(1<<K)-1)];continue t}else if(K&32){e.mode=ln;break e}else{t.msg="invalid \
literal/length code",e.mode=Nt;break e}break}}while(s<r&&n<h);C=X>>3,s-=C,X-=C<<3,x&=(1<<X)-1,t.next_in=s,t.next_out=n,t.avail_in=s<r?5+(r-s):5-(s-r),t.avail_out=
n<h?257+(h-n):257-(n-h),e.hold=x,e.bits=X}var We=15,us=852,ds=592,xs=0,vi=1,ps=2,cn=[3,4,5,6,7,8,9,10,11,13,15,17,19,23,27,31,35,43,51,59,67,83,99,115,131,163,195,227,258,0,0],_n=[16,16,16,16,16,16,16,16,
17,17,17,17,18,18,18,18,19,19,19,19,20,20,20,20,21,21,21,21,16,72,78],fn=[1,2,3,4,5,7,9,13,17,25,33,49,65,97,129,193,257,385,513,769,1025,1537,2049,3073,4097,6145,
8193,12289,16385,24577,0,0],un=[16,16,16,16,17,17,18,18,19,19,20,20,21,21,22,22,23,23,24,24,25,25,26,26,27,27,28,28,29,29,64,64];function Le(t,i,e,s,r,n,a,h){var c=h.
bits,o=0,l=0,u=0,d=0,x=0,X=0,k=0,A=0,F=0,T=0,E,K,C,I,S,D=null,B=0,M,z=new ie(We+1),te=new ie(We+1),He=null,he=0,Se,ue,W;for(o=0;o<=We;o++)z[o]=0;for(l=0;l<s;l++)
z[i[e+l]]++;for(x=c,d=We;d>=1&&z[d]===0;d--);if(x>d&&(x=d),d===0)return r[n++]=1<<24|64<<16|0,r[n++]=1<<24|64<<16|0,h.bits=1,0;for(u=1;u<d&&z[u]===0;u++);for(x<
u&&(x=u),A=1,o=1;o<=We;o++)if(A<<=1,A-=z[o],A<0)return-1;if(A>0&&(t===xs||d!==1))return-1;for(te[1]=0,o=1;o<We;o++)te[o+1]=te[o]+z[o];for(l=0;l<s;l++)i[e+l]!==0&&
(a[te[i[e+l]]++]=l);if(t===xs?(D=He=a,M=19):t===vi?(D=cn,B-=257,He=_n,he-=257,M=256):(D=fn,He=un,M=-1),T=0,l=0,o=u,S=n,X=x,k=0,C=-1,F=1<<x,I=F-1,t===vi&&F>us||t===
ps&&F>ds)return 1;for(;;){Se=o-k,a[l]<M?(ue=0,W=a[l]):a[l]>M?(ue=He[he+a[l]],W=D[B+a[l]]):(ue=96,W=0),E=1<<o-k,K=1<<X,u=K;do K-=E,r[S+(T>>k)+K]=Se<<24|ue<<16|W|
0;while(K!==0);for(E=1<<o-1;T&E;)E>>=1;if(E!==0?(T&=E-1,T+=E):T=0,l++,--z[o]===0){if(o===d)break;o=i[e+a[l]]}if(o>x&&(T&I)!==C){for(k===0&&(k=x),S+=u,X=o-k,A=1<<
X;X+k<d&&(A-=z[X+k],!(A<=0));)X++,A<<=1;if(F+=1<<X,t===vi&&F>us||t===ps&&F>ds)return 1;C=T&I,r[C]=x<<24|X<<16|S-n|0}}return T!==0&&(r[S+T]=o-k<<24|64<<16|0),h.bits=
x,0}var dn=0,Gs=1,Vs=2,gs=4,xn=5,Ot=6,Vt=0,pn=1,gn=2,Te=-2,bn=-3,bs=-4,mn=-5,ms=8,Ws=1,ws=2,vs=3,ys=4,Xs=5,Ks=6,ks=7,Fs=8,Ss=9,Es=10,As=11,be=12,yi=13,Cs=14,Xi=15,Ls=16,
Ts=17,Ms=18,Rs=19,zt=20,Gt=21,Bs=22,Ds=23,Qs=24,Is=25,Ps=26,Ki=27,Hs=28,Us=29,N=30,Ns=31,wn=32,vn=852,yn=592,Xn=15,Kn=Xn;function Os(t){return(t>>>24&255)+(t>>>
8&65280)+((t&65280)<<8)+((t&255)<<24)}function kn(){this.mode=0,this.last=!1,this.wrap=0,this.havedict=!1,this.flags=0,this.dmax=0,this.check=0,this.total=0,this.
head=null,this.wbits=0,this.wsize=0,this.whave=0,this.wnext=0,this.window=null,this.hold=0,this.bits=0,this.length=0,this.offset=0,this.extra=0,this.lencode=null,
this.distcode=null,this.lenbits=0,this.distbits=0,this.ncode=0,this.nlen=0,this.ndist=0,this.have=0,this.next=null,this.lens=new ie(320),this.work=new ie(288),this.
lendyn=null,this.distdyn=null,this.sane=0,this.back=0,this.was=0}function Fn(t){var i;return!t||!t.state?Te:(i=t.state,t.total_in=t.total_out=i.total=0,t.msg="",
i.wrap&&(t.adler=i.wrap&1),i.mode=Ws,i.last=0,i.havedict=0,i.dmax=32768,i.head=null,i.hold=0,i.bits=0,i.lencode=i.lendyn=new ht(vn),i.distcode=i.distdyn=new ht(
yn),i.sane=1,i.back=-1,Vt)}function Si(t){var i;return!t||!t.state?Te:(i=t.state,i.wsize=0,i.whave=0,i.wnext=0,Fn(t))}function Sn(t,i){var e,s;return!t||!t.state||
(s=t.state,i<0?(e=0,i=-i):(e=(i>>4)+1,i<48&&(i&=15)),i&&(i<8||i>15))?Te:(s.window!==null&&s.wbits!==i&&(s.window=null),s.wrap=e,s.wbits=i,Si(t))}function En(t,i){
var e,s;return t?(s=new kn,t.state=s,s.window=null,e=Sn(t,i),e!==Vt&&(t.state=null),e):Te}function Zs(t){return En(t,Kn)}var zs=!0,ki,Fi;function An(t){if(zs){var i;
for(ki=new ht(512),Fi=new ht(32),i=0;i<144;)t.lens[i++]=8;for(;i<256;)t.lens[i++]=9;for(;i<280;)t.lens[i++]=7;for(;i<288;)t.lens[i++]=8;for(Le(Gs,t.lens,0,288,ki,
0,t.work,{bits:9}),i=0;i<32;)t.lens[i++]=5;Le(Vs,t.lens,0,32,Fi,0,t.work,{bits:5}),zs=!1}t.lencode=ki,t.lenbits=9,t.distcode=Fi,t.distbits=5}function Cn(t,i,e,s){
var r,n=t.state;return n.window===null&&(n.wsize=1<<n.wbits,n.wnext=0,n.whave=0,n.window=new Ge(n.wsize)),s>=n.wsize?(oe(n.window,i,e-n.wsize,n.wsize,0),n.wnext=
0,n.whave=n.wsize):(r=n.wsize-n.wnext,r>s&&(r=s),oe(n.window,i,e-s,r,n.wnext),s-=r,s?(oe(n.window,i,e-s,s,0),n.wnext=s,n.whave=n.wsize):(n.wnext+=r,n.wnext===n.
wsize&&(n.wnext=0),n.whave<n.wsize&&(n.whave+=r))),0}function Ys(t,i){var e,s,r,n,a,h,c,o,l,u,d,x,X,k,A=0,F,T,E,K,C,I,S,D,B=new Ge(4),M,z,te=[16,17,18,0,8,7,9,6,
10,5,11,4,12,3,13,2,14,1,15];if(!t||!t.state||!t.output||!t.input&&t.avail_in!==0)return Te;e=t.state,e.mode===be&&(e.mode=yi),a=t.next_out,r=t.output,c=t.avail_out,
n=t.next_in,s=t.input,h=t.avail_in,o=e.hold,l=e.bits,u=h,d=c,D=Vt;e:for(;;)switch(e.mode){case Ws:if(e.wrap===0){e.mode=yi;break}for(;l<16;){if(h===0)break e;h--,
o+=s[n++]<<l,l+=8}if(e.wrap&2&&o===35615){e.check=0,B[0]=o&255,B[1]=o>>>8&255,e.check=G(e.check,B,2,0),o=0,l=0,e.mode=ws;break}if(e.flags=0,e.head&&(e.head.done=
!1),!(e.wrap&1)||(((o&255)<<8)+(o>>8))%31){t.msg="incorrect header check",e.mode=N;break}if((o&15)!==ms){t.msg="unknown compression method",e.mode=N;break}if(o>>>=
4,l-=4,S=(o&15)+8,e.wbits===0)e.wbits=S;else if(S>e.wbits){t.msg="invalid window size",e.mode=N;break}e.dmax=1<<S,t.adler=e.check=1,e.mode=o&512?Es:be,o=0,l=0;break;case ws:
for(;l<16;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}if(e.flags=o,(e.flags&255)!==ms){t.msg="unknown compression method",e.mode=N;break}if(e.flags&57344){t.msg="u\
nknown header flags set",e.mode=N;break}e.head&&(e.head.text=o>>8&1),e.flags&512&&(B[0]=o&255,B[1]=o>>>8&255,e.check=G(e.check,B,2,0)),o=0,l=0,e.mode=vs;case vs:
for(;l<32;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}e.head&&(e.head.time=o),e.flags&512&&(B[0]=o&255,B[1]=o>>>8&255,B[2]=o>>>16&255,B[3]=o>>>24&255,e.check=G(e.check,
B,4,0)),o=0,l=0,e.mode=ys;case ys:for(;l<16;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}e.head&&(e.head.xflags=o&255,e.head.os=o>>8),e.flags&512&&(B[0]=o&255,B[1]=
o>>>8&255,e.check=G(e.check,B,2,0)),o=0,l=0,e.mode=Xs;case Xs:if(e.flags&1024){for(;l<16;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}e.length=o,e.head&&(e.head.extra_len=
o),e.flags&512&&(B[0]=o&255,B[1]=o>>>8&255,e.check=G(e.check,B,2,0)),o=0,l=0}else e.head&&(e.head.extra=null);e.mode=Ks;case Ks:if(e.flags&1024&&(x=e.length,x>h&&
(x=h),x&&(e.head&&(S=e.head.extra_len-e.length,e.head.extra||(e.head.extra=new Array(e.head.extra_len)),oe(e.head.extra,s,n,x,S)),e.flags&512&&(e.check=G(e.check,
s,x,n)),h-=x,n+=x,e.length-=x),e.length))break e;e.length=0,e.mode=ks;case ks:if(e.flags&2048){if(h===0)break e;x=0;do S=s[n+x++],e.head&&S&&e.length<65536&&(e.
head.name+=String.fromCharCode(S));while(S&&x<h);if(e.flags&512&&(e.check=G(e.check,s,x,n)),h-=x,n+=x,S)break e}else e.head&&(e.head.name=null);e.length=0,e.mode=
Fs;case Fs:if(e.flags&4096){if(h===0)break e;x=0;do S=s[n+x++],e.head&&S&&e.length<65536&&(e.head.comment+=String.fromCharCode(S));while(S&&x<h);if(e.flags&512&&
(e.check=G(e.check,s,x,n)),h-=x,n+=x,S)break e}else e.head&&(e.head.comment=null);e.mode=Ss;case Ss:if(e.flags&512){for(;l<16;){if(h===0)break e;h--,o+=s[n++]<<
l,l+=8}if(o!==(e.check&65535)){t.msg="header crc mismatch",e.mode=N;break}o=0,l=0}e.head&&(e.head.hcrc=e.flags>>9&1,e.head.done=!0),t.adler=e.check=0,e.mode=be;
break;case Es:for(;l<32;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}t.adler=e.check=Os(o),o=0,l=0,e.mode=As;case As:if(e.havedict===0)return t.next_out=a,t.avail_out=
c,t.next_in=n,t.avail_in=h,e.hold=o,e.bits=l,gn;t.adler=e.check=1,e.mode=be;case be:if(i===xn||i===Ot)break e;case yi:if(e.last){o>>>=l&7,l-=l&7,e.mode=Ki;break}
for(;l<3;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}switch(e.last=o&1,o>>>=1,l-=1,o&3){case 0:e.mode=Cs;break;case 1:if(An(e),e.mode=zt,i===Ot){o>>>=2,l-=2;break e}
break;case 2:e.mode=Ts;break;case 3:t.msg="invalid block type",e.mode=N}o>>>=2,l-=2;break;case Cs:for(o>>>=l&7,l-=l&7;l<32;){if(h===0)break e;h--,o+=s[n++]<<l,l+=
8}if((o&65535)!==(o>>>16^65535)){t.msg="invalid stored block lengths",e.mode=N;break}if(e.length=o&65535,o=0,l=0,e.mode=Xi,i===Ot)break e;case Xi:e.mode=Ls;case Ls:
if(x=e.length,x){if(x>h&&(x=h),x>c&&(x=c),x===0)break e;oe(r,s,n,x,a),h-=x,n+=x,c-=x,a+=x,e.length-=x;break}e.mode=be;break;case Ts:for(;l<14;){if(h===0)break e;
h--,o+=s[n++]<<l,l+=8}if(e.nlen=(o&31)+257,o>>>=5,l-=5,e.ndist=(o&31)+1,o>>>=5,l-=5,e.ncode=(o&15)+4,o>>>=4,l-=4,e.nlen>286||e.ndist>30){t.msg="too many length \
or distance symbols",e.mode=N;break}e.have=0,e.mode=Ms;case Ms:for(;e.have<e.ncode;){for(;l<3;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}e.lens[te[e.have++]]=o&7,
o>>>=3,l-=3}for(;e.have<19;)e.lens[te[e.have++]]=0;if(e.lencode=e.lendyn,e.lenbits=7,M={bits:e.lenbits},D=Le(dn,e.lens,0,19,e.lencode,0,e.work,M),e.lenbits=M.bits,
D){t.msg="invalid code lengths set",e.mode=N;break}e.have=0,e.mode=Rs;case Rs:for(;e.have<e.nlen+e.ndist;){for(;A=e.lencode[o&(1<<e.lenbits)-1],F=A>>>24,T=A>>>16&
255,E=A&65535,!(F<=l);){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}if(E<16)o>>>=F,l-=F,e.lens[e.have++]=E;else{if(E===16){for(z=F+2;l<z;){if(h===0)break e;h--,o+=s[n++]<<
l,l+=8}if(o>>>=F,l-=F,e.have===0){t.msg="invalid bit length repeat",e.mode=N;break}S=e.lens[e.have-1],x=3+(o&3),o>>>=2,l-=2}else if(E===17){for(z=F+3;l<z;){if(h===
0)break e;h--,o+=s[n++]<<l,l+=8}o>>>=F,l-=F,S=0,x=3+(o&7),o>>>=3,l-=3}else{for(z=F+7;l<z;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}o>>>=F,l-=F,S=0,x=11+(o&127),o>>>=
7,l-=7}if(e.have+x>e.nlen+e.ndist){t.msg="invalid bit length repeat",e.mode=N;break}for(;x--;)e.lens[e.have++]=S}}if(e.mode===N)break;if(e.lens[256]===0){t.msg=
"invalid code -- missing end-of-block",e.mode=N;break}if(e.lenbits=9,M={bits:e.lenbits},D=Le(Gs,e.lens,0,e.nlen,e.lencode,0,e.work,M),e.lenbits=M.bits,D){t.msg=
"invalid literal/lengths set",e.mode=N;break}if(e.distbits=6,e.distcode=e.distdyn,M={bits:e.distbits},D=Le(Vs,e.lens,e.nlen,e.ndist,e.distcode,0,e.work,M),e.distbits=
M.bits,D){t.msg="invalid distances set",e.mode=N;break}if(e.mode=zt,i===Ot)break e;case zt:e.mode=Gt;case Gt:if(h>=6&&c>=258){t.next_out=a,t.avail_out=c,t.next_in=
n,t.avail_in=h,e.hold=o,e.bits=l,wi(t,d),a=t.next_out,r=t.output,c=t.avail_out,n=t.next_in,s=t.input,h=t.avail_in,o=e.hold,l=e.bits,e.mode===be&&(e.back=-1);break}
for(e.back=0;A=e.lencode[o&(1<<e.lenbits)-1],F=A>>>24,T=A>>>16&255,E=A&65535,!(F<=l);){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}if(T&&(T&240)===0){for(K=F,C=T,I=E;A=
e.lencode[I+((o&(1<<K+C)-1)>>K)],F=A>>>24,T=A>>>16&255,E=A&65535,!(K+F<=l);){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}o>>>=K,l-=K,e.back+=K}if(o>>>=F,l-=F,e.back+=
F,e.length=E,T===0){e.mode=Ps;break}if(T&32){e.back=-1,e.mode=be;break}if(T&64){t.msg="invalid literal/length code",e.mode=N;break}e.extra=T&15,e.mode=Bs;case Bs:
if(e.extra){for(z=e.extra;l<z;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}e.length+=o&(1<<e.extra)-1,o>>>=e.extra,l-=e.extra,e.back+=e.extra}e.was=e.length,e.mode=
Ds;case Ds:for(;A=e.distcode[o&(1<<e.distbits)-1],F=A>>>24,T=A>>>16&255,E=A&65535,!(F<=l);){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}if((T&240)===0){for(K=F,C=T,I=
E;A=e.distcode[I+((o&(1<<K+C)-1)>>K)],F=A>>>24,T=A>>>16&255,E=A&65535,!(K+F<=l);){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}o>>>=K,l-=K,e.back+=K}if(o>>>=F,l-=F,e.
back+=F,T&64){t.msg="invalid distance code",e.mode=N;break}e.offset=E,e.extra=T&15,e.mode=Qs;case Qs:if(e.extra){for(z=e.extra;l<z;){if(h===0)break e;h--,o+=s[n++]<<
l,l+=8}e.offset+=o&(1<<e.extra)-1,o>>>=e.extra,l-=e.extra,e.back+=e.extra}if(e.offset>e.dmax){t.msg="invalid distance too far back",e.mode=N;break}e.mode=Is;case Is:
if(c===0)break e;if(x=d-c,e.offset>x){if(x=e.offset-x,x>e.whave&&e.sane){t.msg="invalid distance too far back",e.mode=N;break}x>e.wnext?(x-=e.wnext,X=e.wsize-x):
X=e.wnext-x,x>e.length&&(x=e.length),k=e.window}else k=r,X=a-e.offset,x=e.length;x>c&&(x=c),c-=x,e.length-=x;do r[a++]=k[X++];while(--x);e.length===0&&(e.mode=Gt);
break;case Ps:if(c===0)break e;r[a++]=e.length,c--,e.mode=Gt;break;case Ki:if(e.wrap){for(;l<32;){if(h===0)break e;h--,o|=s[n++]<<l,l+=8}if(d-=c,t.total_out+=d,
e.total+=d,d&&(t.adler=e.check=e.flags?G(e.check,r,d,a-d):Ve(e.check,r,d,a-d)),d=c,(e.flags?o:Os(o))!==e.check){t.msg="incorrect data check",e.mode=N;break}o=0,
l=0}e.mode=Hs;case Hs:if(e.wrap&&e.flags){for(;l<32;){if(h===0)break e;h--,o+=s[n++]<<l,l+=8}if(o!==(e.total&4294967295)){t.msg="incorrect length check",e.mode=
N;break}o=0,l=0}e.mode=Us;case Us:D=pn;break e;case N:D=bn;break e;case Ns:return bs;case wn:default:return Te}return t.next_out=a,t.avail_out=c,t.next_in=n,t.avail_in=
h,e.hold=o,e.bits=l,(e.wsize||d!==t.avail_out&&e.mode<N&&(e.mode<Ki||i!==gs))&&Cn(t,t.output,t.next_out,d-t.avail_out)?(e.mode=Ns,bs):(u-=t.avail_in,d-=t.avail_out,
t.total_in+=u,t.total_out+=d,e.total+=d,e.wrap&&d&&(t.adler=e.check=e.flags?G(e.check,r,d,t.next_out-d):Ve(e.check,r,d,t.next_out-d)),t.data_type=e.bits+(e.last?
64:0)+(e.mode===be?128:0)+(e.mode===zt||e.mode===Xi?256:0),(u===0&&d===0||i===gs)&&D===Vt&&(D=mn),D)}function lt(){this.input=null,this.next_in=0,this.avail_in=0,this.total_in=0,this.output=null,this.next_out=0,this.avail_out=0,this.total_out=0,this.msg="",this.
state=null,this.data_type=2,this.adler=0}var ce=class{constructor(){this.strm=new lt,this.chunkSize=1024*10*10,this.strm.output=new Uint8Array(this.chunkSize),Zs(this.strm)}setInput(i){i?(this.strm.input=
i,this.strm.avail_in=this.strm.input.length,this.strm.next_in=0):(this.strm.input=null,this.strm.avail_in=0,this.strm.next_in=0)}inflate(i){if(i>this.chunkSize&&
(this.chunkSize=i,this.strm.output=new Uint8Array(this.chunkSize)),this.strm.next_out=0,this.strm.avail_out=i,Ys(this.strm,0)<0)throw new Error("zlib inflate fa\
iled");if(this.strm.next_out!=i)throw new Error("Incomplete zlib block");return new Uint8Array(this.strm.output.buffer,0,this.strm.next_out)}reset(){Si(this.strm)}};var Ln=4,js=0,qs=1,Tn=2;function Ye(t){for(var i=t.length;--i>=0;)t[i]=0}var Mn=0,sr=1,Rn=2,Bn=3,Dn=258,Ri=29,xt=256,_t=xt+1+Ri,Ze=30,Bi=19,rr=2*_t+1,Me=15,Ei=16,
Qn=7,Di=256,nr=16,ar=17,or=18,Ti=[0,0,0,0,0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,5,5,5,5,0],Wt=[0,0,0,0,1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,8,9,9,10,10,11,11,12,12,13,
13],In=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2,3,7],hr=[16,17,18,0,8,7,9,6,10,5,11,4,12,3,13,2,14,1,15],Pn=512,me=new Array((_t+2)*2);Ye(me);var ct=new Array(Ze*2);Ye(
ct);var ft=new Array(Pn);Ye(ft);var ut=new Array(Dn-Bn+1);Ye(ut);var Qi=new Array(Ri);Ye(Qi);var Zt=new Array(Ze);Ye(Zt);function Ai(t,i,e,s,r){this.static_tree=
t,this.extra_bits=i,this.extra_base=e,this.elems=s,this.max_length=r,this.has_stree=t&&t.length}var lr,cr,_r;function Ci(t,i){this.dyn_tree=t,this.max_code=0,this.
stat_desc=i}function fr(t){return t<256?ft[t]:ft[256+(t>>>7)]}function dt(t,i){t.pending_buf[t.pending++]=i&255,t.pending_buf[t.pending++]=i>>>8&255}function re(t,i,e){
t.bi_valid>Ei-e?(t.bi_buf|=i<<t.bi_valid&65535,dt(t,t.bi_buf),t.bi_buf=i>>Ei-t.bi_valid,t.bi_valid+=e-Ei):(t.bi_buf|=i<<t.bi_valid&65535,t.bi_valid+=e)}function de(t,i,e){
re(t,e[i*2],e[i*2+1])}function ur(t,i){var e=0;do e|=t&1,t>>>=1,e<<=1;while(--i>0);return e>>>1}function Hn(t){t.bi_valid===16?(dt(t,t.bi_buf),t.bi_buf=0,t.bi_valid=
0):t.bi_valid>=8&&(t.pending_buf[t.pending++]=t.bi_buf&255,t.bi_buf>>=8,t.bi_valid-=8)}function Un(t,i){var e=i.dyn_tree,s=i.max_code,r=i.stat_desc.static_tree,
n=i.stat_desc.has_stree,a=i.stat_desc.extra_bits,h=i.stat_desc.extra_base,c=i.stat_desc.max_length,o,l,u,d,x,X,k=0;for(d=0;d<=Me;d++)t.bl_count[d]=0;for(e[t.heap[t.
heap_max]*2+1]=0,o=t.heap_max+1;o<rr;o++)l=t.heap[o],d=e[e[l*2+1]*2+1]+1,d>c&&(d=c,k++),e[l*2+1]=d,!(l>s)&&(t.bl_count[d]++,x=0,l>=h&&(x=a[l-h]),X=e[l*2],t.opt_len+=
X*(d+x),n&&(t.static_len+=X*(r[l*2+1]+x)));if(k!==0){do{for(d=c-1;t.bl_count[d]===0;)d--;t.bl_count[d]--,t.bl_count[d+1]+=2,t.bl_count[c]--,k-=2}while(k>0);for(d=
c;d!==0;d--)for(l=t.bl_count[d];l!==0;)u=t.heap[--o],!(u>s)&&(e[u*2+1]!==d&&(t.opt_len+=(d-e[u*2+1])*e[u*2],e[u*2+1]=d),l--)}}function dr(t,i,e){var s=new Array(
Me+1),r=0,n,a;for(n=1;n<=Me;n++)s[n]=r=r+e[n-1]<<1;for(a=0;a<=i;a++){var h=t[a*2+1];h!==0&&(t[a*2]=ur(s[h]++,h))}}function Nn(){var t,i,e,s,r,n=new Array(Me+1);
for(e=0,s=0;s<Ri-1;s++)for(Qi[s]=e,t=0;t<1<<Ti[s];t++)ut[e++]=s;for(ut[e-1]=s,r=0,s=0;s<16;s++)for(Zt[s]=r,t=0;t<1<<Wt[s];t++)ft[r++]=s;for(r>>=7;s<Ze;s++)for(Zt[s]=
r<<7,t=0;t<1<<Wt[s]-7;t++)ft[256+r++]=s;for(i=0;i<=Me;i++)n[i]=0;for(t=0;t<=143;)me[t*2+1]=8,t++,n[8]++;for(;t<=255;)me[t*2+1]=9,t++,n[9]++;for(;t<=279;)me[t*2+
1]=7,t++,n[7]++;for(;t<=287;)me[t*2+1]=8,t++,n[8]++;for(dr(me,_t+1,n),t=0;t<Ze;t++)ct[t*2+1]=5,ct[t*2]=ur(t,5);lr=new Ai(me,Ti,xt+1,_t,Me),cr=new Ai(ct,Wt,0,Ze,
Me),_r=new Ai(new Array(0),In,0,Bi,Qn)}function xr(t){var i;for(i=0;i<_t;i++)t.dyn_ltree[i*2]=0;for(i=0;i<Ze;i++)t.dyn_dtree[i*2]=0;for(i=0;i<Bi;i++)t.bl_tree[i*
2]=0;t.dyn_ltree[Di*2]=1,t.opt_len=t.static_len=0,t.last_lit=t.matches=0}function pr(t){t.bi_valid>8?dt(t,t.bi_buf):t.bi_valid>0&&(t.pending_buf[t.pending++]=t.
bi_buf),t.bi_buf=0,t.bi_valid=0}function On(t,i,e,s){pr(t),s&&(dt(t,e),dt(t,~e)),oe(t.pending_buf,t.window,i,e,t.pending),t.pending+=e}function Js(t,i,e,s){var r=i*
2,n=e*2;return t[r]<t[n]||t[r]===t[n]&&s[i]<=s[e]}function Li(t,i,e){for(var s=t.heap[e],r=e<<1;r<=t.heap_len&&(r<t.heap_len&&Js(i,t.heap[r+1],t.heap[r],t.depth)&&
r++,!Js(i,s,t.heap[r],t.depth));)t.heap[e]=t.heap[r],e=r,r<<=1;t.heap[e]=s}function $s(t,i,e){var s,r,n=0,a,h;if(t.last_lit!==0)do s=t.pending_buf[t.d_buf+n*2]<<
8|t.pending_buf[t.d_buf+n*2+1],r=t.pending_buf[t.l_buf+n],n++,s===0?de(t,r,i):(a=ut[r],de(t,a+xt+1,i),h=Ti[a],h!==0&&(r-=Qi[a],re(t,r,h)),s--,a=fr(s),de(t,a,e),
h=Wt[a],h!==0&&(s-=Zt[a],re(t,s,h)));while(n<t.last_lit);de(t,Di,i)}function Mi(t,i){var e=i.dyn_tree,s=i.stat_desc.static_tree,r=i.stat_desc.has_stree,n=i.stat_desc.
elems,a,h,c=-1,o;for(t.heap_len=0,t.heap_max=rr,a=0;a<n;a++)e[a*2]!==0?(t.heap[++t.heap_len]=c=a,t.depth[a]=0):e[a*2+1]=0;for(;t.heap_len<2;)o=t.heap[++t.heap_len]=
c<2?++c:0,e[o*2]=1,t.depth[o]=0,t.opt_len--,r&&(t.static_len-=s[o*2+1]);for(i.max_code=c,a=t.heap_len>>1;a>=1;a--)Li(t,e,a);o=n;do a=t.heap[1],t.heap[1]=t.heap[t.
heap_len--],Li(t,e,1),h=t.heap[1],t.heap[--t.heap_max]=a,t.heap[--t.heap_max]=h,e[o*2]=e[a*2]+e[h*2],t.depth[o]=(t.depth[a]>=t.depth[h]?t.depth[a]:t.depth[h])+1,
e[a*2+1]=e[h*2+1]=o,t.heap[1]=o++,Li(t,e,1);while(t.heap_len>=2);t.heap[--t.heap_max]=t.heap[1],Un(t,i),dr(e,c,t.bl_count)}function er(t,i,e){var s,r=-1,n,a=i[1],
h=0,c=7,o=4;for(a===0&&(c=138,o=3),i[(e+1)*2+1]=65535,s=0;s<=e;s++)n=a,a=i[(s+1)*2+1],!(++h<c&&n===a)&&(h<o?t.bl_tree[n*2]+=h:n!==0?(n!==r&&t.bl_tree[n*2]++,t.bl_tree[nr*
2]++):h<=10?t.bl_tree[ar*2]++:t.bl_tree[or*2]++,h=0,r=n,a===0?(c=138,o=3):n===a?(c=6,o=3):(c=7,o=4))}function tr(t,i,e){var s,r=-1,n,a=i[1],h=0,c=7,o=4;for(a===
0&&(c=138,o=3),s=0;s<=e;s++)if(n=a,a=i[(s+1)*2+1],!(++h<c&&n===a)){if(h<o)do de(t,n,t.bl_tree);while(--h!==0);else n!==0?(n!==r&&(de(t,n,t.bl_tree),h--),de(t,nr,
t.bl_tree),re(t,h-3,2)):h<=10?(de(t,ar,t.bl_tree),re(t,h-3,3)):(de(t,or,t.bl_tree),re(t,h-11,7));h=0,r=n,a===0?(c=138,o=3):n===a?(c=6,o=3):(c=7,o=4)}}function zn(t){
var i;for(er(t,t.dyn_ltree,t.l_desc.max_code),er(t,t.dyn_dtree,t.d_desc.max_code),Mi(t,t.bl_desc),i=Bi-1;i>=3&&t.bl_tree[hr[i]*2+1]===0;i--);return t.opt_len+=3*
(i+1)+5+5+4,i}function Gn(t,i,e,s){var r;for(re(t,i-257,5),re(t,e-1,5),re(t,s-4,4),r=0;r<s;r++)re(t,t.bl_tree[hr[r]*2+1],3);tr(t,t.dyn_ltree,i-1),tr(t,t.dyn_dtree,
e-1)}function Vn(t){var i=4093624447,e;for(e=0;e<=31;e++,i>>>=1)if(i&1&&t.dyn_ltree[e*2]!==0)return js;if(t.dyn_ltree[18]!==0||t.dyn_ltree[20]!==0||t.dyn_ltree[26]!==
0)return qs;for(e=32;e<xt;e++)if(t.dyn_ltree[e*2]!==0)return qs;return js}var ir=!1;function gr(t){ir||(Nn(),ir=!0),t.l_desc=new Ci(t.dyn_ltree,lr),t.d_desc=new Ci(
t.dyn_dtree,cr),t.bl_desc=new Ci(t.bl_tree,_r),t.bi_buf=0,t.bi_valid=0,xr(t)}function Ii(t,i,e,s){re(t,(Mn<<1)+(s?1:0),3),On(t,i,e,!0)}function br(t){re(t,sr<<1,
3),de(t,Di,me),Hn(t)}function mr(t,i,e,s){var r,n,a=0;t.level>0?(t.strm.data_type===Tn&&(t.strm.data_type=Vn(t)),Mi(t,t.l_desc),Mi(t,t.d_desc),a=zn(t),r=t.opt_len+
3+7>>>3,n=t.static_len+3+7>>>3,n<=r&&(r=n)):r=n=e+5,e+4<=r&&i!==-1?Ii(t,i,e,s):t.strategy===Ln||n===r?(re(t,(sr<<1)+(s?1:0),3),$s(t,me,ct)):(re(t,(Rn<<1)+(s?1:0),
3),Gn(t,t.l_desc.max_code+1,t.d_desc.max_code+1,a+1),$s(t,t.dyn_ltree,t.dyn_dtree)),xr(t),s&&pr(t)}function we(t,i,e){return t.pending_buf[t.d_buf+t.last_lit*2]=
i>>>8&255,t.pending_buf[t.d_buf+t.last_lit*2+1]=i&255,t.pending_buf[t.l_buf+t.last_lit]=e&255,t.last_lit++,i===0?t.dyn_ltree[e*2]++:(t.matches++,i--,t.dyn_ltree[(ut[e]+
xt+1)*2]++,t.dyn_dtree[fr(i)*2]++),t.last_lit===t.lit_bufsize-1}var wr={2:"need dictionary",1:"stream end",0:"","-1":"file error","-2":"stream error","-3":"data error","-4":"insufficient memory","-5":"buffer error","-6":"inc\
ompatible version"};var Qe=0,Zn=1,qt=3,Ke=4,vr=5,Re=0,yr=1,$e=-2;var Pi=-5,Gi=-1,Yn=1,Yt=2,jn=3,qn=4,Jn=0,$n=2,Jt=8,ea=9,ta=15,ia=8,sa=29,ra=256,zi=ra+1+sa,na=30,aa=19,oa=2*zi+1,ha=15,P=3,Xe=258,_e=Xe+P+1,la=32,kr=42,Xr=69,Hi=73,
Ui=91,Ni=103,gt=113,jt=666,Y=1,bt=2,De=3,et=4,ca=3;function qe(t,i){return t.msg=wr[i],i}function Kr(t){return(t<<1)-(t>4?9:0)}function Be(t){for(var i=t.length;--i>=
0;)t[i]=0}function ye(t){var i=t.state,e=i.pending;e>t.avail_out&&(e=t.avail_out),e!==0&&(oe(t.output,i.pending_buf,i.pending_out,e,t.next_out),t.next_out+=e,i.
pending_out+=e,t.total_out+=e,t.avail_out-=e,i.pending-=e,i.pending===0&&(i.pending_out=0))}function j(t,i){mr(t,t.block_start>=0?t.block_start:-1,t.strstart-t.
block_start,i),t.block_start=t.strstart,ye(t.strm)}function Q(t,i){t.pending_buf[t.pending++]=i}function pt(t,i){t.pending_buf[t.pending++]=i>>>8&255,t.pending_buf[t.
pending++]=i&255}function _a(t,i,e,s){var r=t.avail_in;return r>s&&(r=s),r===0?0:(t.avail_in-=r,oe(i,t.input,t.next_in,r,e),t.state.wrap===1?t.adler=Ve(t.adler,
i,r,e):t.state.wrap===2&&(t.adler=G(t.adler,i,r,e)),t.next_in+=r,t.total_in+=r,r)}function Fr(t,i){var e=t.max_chain_length,s=t.strstart,r,n,a=t.prev_length,h=t.
nice_match,c=t.strstart>t.w_size-_e?t.strstart-(t.w_size-_e):0,o=t.window,l=t.w_mask,u=t.prev,d=t.strstart+Xe,x=o[s+a-1],X=o[s+a];t.prev_length>=t.good_match&&(e>>=
2),h>t.lookahead&&(h=t.lookahead);do if(r=i,!(o[r+a]!==X||o[r+a-1]!==x||o[r]!==o[s]||o[++r]!==o[s+1])){s+=2,r++;do;while(o[++s]===o[++r]&&o[++s]===o[++r]&&o[++s]===
o[++r]&&o[++s]===o[++r]&&o[++s]===o[++r]&&o[++s]===o[++r]&&o[++s]===o[++r]&&o[++s]===o[++r]&&s<d);if(n=Xe-(d-s),s=d-Xe,n>a){if(t.match_start=i,a=n,n>=h)break;x=
o[s+a-1],X=o[s+a]}}while((i=u[i&l])>c&&--e!==0);return a<=t.lookahead?a:t.lookahead}function mt(t){var i=t.w_size,e,s,r,n,a;do{if(n=t.window_size-t.lookahead-t.
strstart,t.strstart>=i+(i-_e)){oe(t.window,t.window,i,i,0),t.match_start-=i,t.strstart-=i,t.block_start-=i,s=t.hash_size,e=s;do r=t.head[--e],t.head[e]=r>=i?r-i:
0;while(--s);s=i,e=s;do r=t.prev[--e],t.prev[e]=r>=i?r-i:0;while(--s);n+=i}if(t.strm.avail_in===0)break;if(s=_a(t.strm,t.window,t.strstart+t.lookahead,n),t.lookahead+=
s,t.lookahead+t.insert>=P)for(a=t.strstart-t.insert,t.ins_h=t.window[a],t.ins_h=(t.ins_h<<t.hash_shift^t.window[a+1])&t.hash_mask;t.insert&&(t.ins_h=(t.ins_h<<t.
hash_shift^t.window[a+P-1])&t.hash_mask,t.prev[a&t.w_mask]=t.head[t.ins_h],t.head[t.ins_h]=a,a++,t.insert--,!(t.lookahead+t.insert<P)););}while(t.lookahead<_e&&
t.strm.avail_in!==0)}function fa(t,i){var e=65535;for(e>t.pending_buf_size-5&&(e=t.pending_buf_size-5);;){if(t.lookahead<=1){if(mt(t),t.lookahead===0&&i===Qe)return Y;
if(t.lookahead===0)break}t.strstart+=t.lookahead,t.lookahead=0;var s=t.block_start+e;if((t.strstart===0||t.strstart>=s)&&(t.lookahead=t.strstart-s,t.strstart=s,
j(t,!1),t.strm.avail_out===0)||t.strstart-t.block_start>=t.w_size-_e&&(j(t,!1),t.strm.avail_out===0))return Y}return t.insert=0,i===Ke?(j(t,!0),t.strm.avail_out===
0?De:et):(t.strstart>t.block_start&&(j(t,!1),t.strm.avail_out===0),Y)}function Oi(t,i){for(var e,s;;){if(t.lookahead<_e){if(mt(t),t.lookahead<_e&&i===Qe)return Y;
if(t.lookahead===0)break}if(e=0,t.lookahead>=P&&(t.ins_h=(t.ins_h<<t.hash_shift^t.window[t.strstart+P-1])&t.hash_mask,e=t.prev[t.strstart&t.w_mask]=t.head[t.ins_h],
t.head[t.ins_h]=t.strstart),e!==0&&t.strstart-e<=t.w_size-_e&&(t.match_length=Fr(t,e)),t.match_length>=P)if(s=we(t,t.strstart-t.match_start,t.match_length-P),t.
lookahead-=t.match_length,t.match_length<=t.max_lazy_match&&t.lookahead>=P){t.match_length--;do t.strstart++,t.ins_h=(t.ins_h<<t.hash_shift^t.window[t.strstart+
P-1])&t.hash_mask,e=t.prev[t.strstart&t.w_mask]=t.head[t.ins_h],t.head[t.ins_h]=t.strstart;while(--t.match_length!==0);t.strstart++}else t.strstart+=t.match_length,
t.match_length=0,t.ins_h=t.window[t.strstart],t.ins_h=(t.ins_h<<t.hash_shift^t.window[t.strstart+1])&t.hash_mask;else s=we(t,0,t.window[t.strstart]),t.lookahead--,
t.strstart++;if(s&&(j(t,!1),t.strm.avail_out===0))return Y}return t.insert=t.strstart<P-1?t.strstart:P-1,i===Ke?(j(t,!0),t.strm.avail_out===0?De:et):t.last_lit&&
(j(t,!1),t.strm.avail_out===0)?Y:bt}function je(t,i){for(var e,s,r;;){if(t.lookahead<_e){if(mt(t),t.lookahead<_e&&i===Qe)return Y;if(t.lookahead===0)break}if(e=
0,t.lookahead>=P&&(t.ins_h=(t.ins_h<<t.hash_shift^t.window[t.strstart+P-1])&t.hash_mask,e=t.prev[t.strstart&t.w_mask]=t.head[t.ins_h],t.head[t.ins_h]=t.strstart),
t.prev_length=t.match_length,t.prev_match=t.match_start,t.match_length=P-1,e!==0&&t.prev_length<t.max_lazy_match&&t.strstart-e<=t.w_size-_e&&(t.match_length=Fr(
t,e),t.match_length<=5&&(t.strategy===Yn||t.match_length===P&&t.strstart-t.match_start>4096)&&(t.match_length=P-1)),t.prev_length>=P&&t.match_length<=t.prev_length){
r=t.strstart+t.lookahead-P,s=we(t,t.strstart-1-t.prev_match,t.prev_length-P),t.lookahead-=t.prev_length-1,t.prev_length-=2;do++t.strstart<=r&&(t.ins_h=(t.ins_h<<
t.hash_shift^t.window[t.strstart+P-1])&t.hash_mask,e=t.prev[t.strstart&t.w_mask]=t.head[t.ins_h],t.head[t.ins_h]=t.strstart);while(--t.prev_length!==0);if(t.match_available=
0,t.match_length=P-1,t.strstart++,s&&(j(t,!1),t.strm.avail_out===0))return Y}else if(t.match_available){if(s=we(t,0,t.window[t.strstart-1]),s&&j(t,!1),t.strstart++,
t.lookahead--,t.strm.avail_out===0)return Y}else t.match_available=1,t.strstart++,t.lookahead--}return t.match_available&&(s=we(t,0,t.window[t.strstart-1]),t.match_available=
0),t.insert=t.strstart<P-1?t.strstart:P-1,i===Ke?(j(t,!0),t.strm.avail_out===0?De:et):t.last_lit&&(j(t,!1),t.strm.avail_out===0)?Y:bt}function ua(t,i){for(var e,
s,r,n,a=t.window;;){if(t.lookahead<=Xe){if(mt(t),t.lookahead<=Xe&&i===Qe)return Y;if(t.lookahead===0)break}if(t.match_length=0,t.lookahead>=P&&t.strstart>0&&(r=
t.strstart-1,s=a[r],s===a[++r]&&s===a[++r]&&s===a[++r])){n=t.strstart+Xe;do;while(s===a[++r]&&s===a[++r]&&s===a[++r]&&s===a[++r]&&s===a[++r]&&s===a[++r]&&s===a[++r]&&
s===a[++r]&&r<n);t.match_length=Xe-(n-r),t.match_length>t.lookahead&&(t.match_length=t.lookahead)}if(t.match_length>=P?(e=we(t,1,t.match_length-P),t.lookahead-=
t.match_length,t.strstart+=t.match_length,t.match_length=0):(e=we(t,0,t.window[t.strstart]),t.lookahead--,t.strstart++),e&&(j(t,!1),t.strm.avail_out===0))return Y}
return t.insert=0,i===Ke?(j(t,!0),t.strm.avail_out===0?De:et):t.last_lit&&(j(t,!1),t.strm.avail_out===0)?Y:bt}function da(t,i){for(var e;;){if(t.lookahead===0&&
(mt(t),t.lookahead===0)){if(i===Qe)return Y;break}if(t.match_length=0,e=we(t,0,t.window[t.strstart]),t.lookahead--,t.strstart++,e&&(j(t,!1),t.strm.avail_out===0))
return Y}return t.insert=0,i===Ke?(j(t,!0),t.strm.avail_out===0?De:et):t.last_lit&&(j(t,!1),t.strm.avail_out===0)?Y:bt}function xe(t,i,e,s,r){this.good_length=t,
this.max_lazy=i,this.nice_length=e,this.max_chain=s,this.func=r}var Je;Je=[new xe(0,0,0,0,fa),new xe(4,4,8,4,Oi),new xe(4,5,16,8,Oi),new xe(4,6,32,32,Oi),new xe(
4,4,16,16,je),new xe(8,16,32,32,je),new xe(8,16,128,128,je),new xe(8,32,128,256,je),new xe(32,128,258,1024,je),new xe(32,258,258,4096,je)];function xa(t){t.window_size=
2*t.w_size,Be(t.head),t.max_lazy_match=Je[t.level].max_lazy,t.good_match=Je[t.level].good_length,t.nice_match=Je[t.level].nice_length,t.max_chain_length=Je[t.level].
max_chain,t.strstart=0,t.block_start=0,t.lookahead=0,t.insert=0,t.match_length=t.prev_length=P-1,t.match_available=0,t.ins_h=0}function pa(){this.strm=null,this.
status=0,this.pending_buf=null,this.pending_buf_size=0,this.pending_out=0,this.pending=0,this.wrap=0,this.gzhead=null,this.gzindex=0,this.method=Jt,this.last_flush=
-1,this.w_size=0,this.w_bits=0,this.w_mask=0,this.window=null,this.window_size=0,this.prev=null,this.head=null,this.ins_h=0,this.hash_size=0,this.hash_bits=0,this.
hash_mask=0,this.hash_shift=0,this.block_start=0,this.match_length=0,this.prev_match=0,this.match_available=0,this.strstart=0,this.match_start=0,this.lookahead=
0,this.prev_length=0,this.max_chain_length=0,this.max_lazy_match=0,this.level=0,this.strategy=0,this.good_match=0,this.nice_match=0,this.dyn_ltree=new ie(oa*2),
this.dyn_dtree=new ie((2*na+1)*2),this.bl_tree=new ie((2*aa+1)*2),Be(this.dyn_ltree),Be(this.dyn_dtree),Be(this.bl_tree),this.l_desc=null,this.d_desc=null,this.
bl_desc=null,this.bl_count=new ie(ha+1),this.heap=new ie(2*zi+1),Be(this.heap),this.heap_len=0,this.heap_max=0,this.depth=new ie(2*zi+1),Be(this.depth),this.l_buf=
0,this.lit_bufsize=0,this.last_lit=0,this.d_buf=0,this.opt_len=0,this.static_len=0,this.matches=0,this.insert=0,this.bi_buf=0,this.bi_valid=0}function ga(t){var i;
return!t||!t.state?qe(t,$e):(t.total_in=t.total_out=0,t.data_type=$n,i=t.state,i.pending=0,i.pending_out=0,i.wrap<0&&(i.wrap=-i.wrap),i.status=i.wrap?kr:gt,t.adler=
i.wrap===2?0:1,i.last_flush=Qe,gr(i),Re)}function ba(t){var i=ga(t);return i===Re&&xa(t.state),i}function ma(t,i,e,s,r,n){if(!t)return $e;var a=1;if(i===Gi&&(i=6),s<0?(a=0,s=-s):s>15&&(a=2,s-=16),r<1||r>ea||e!==Jt||s<8||s>15||i<0||i>9||n<0||n>qn)return qe(t,
$e);s===8&&(s=9);var h=new pa;return t.state=h,h.strm=t,h.wrap=a,h.gzhead=null,h.w_bits=s,h.w_size=1<<h.w_bits,h.w_mask=h.w_size-1,h.hash_bits=r+7,h.hash_size=1<<
h.hash_bits,h.hash_mask=h.hash_size-1,h.hash_shift=~~((h.hash_bits+P-1)/P),h.window=new Ge(h.w_size*2),h.head=new ie(h.hash_size),h.prev=new ie(h.w_size),h.lit_bufsize=
1<<r+6,h.pending_buf_size=h.lit_bufsize*4,h.pending_buf=new Ge(h.pending_buf_size),h.d_buf=1*h.lit_bufsize,h.l_buf=3*h.lit_bufsize,h.level=i,h.strategy=n,h.method=
e,ba(t)}function Sr(t,i){return ma(t,i,Jt,ta,ia,Jn)}function Vi(t,i){var e,s,r,n;if(!t||!t.state||i>vr||i<0)return t?qe(t,$e):$e;if(s=t.state,!t.output||!t.input&&
t.avail_in!==0||s.status===jt&&i!==Ke)return qe(t,t.avail_out===0?Pi:$e);if(s.strm=t,e=s.last_flush,s.last_flush=i,s.status===kr)if(s.wrap===2)t.adler=0,Q(s,31),
Q(s,139),Q(s,8),s.gzhead?(Q(s,(s.gzhead.text?1:0)+(s.gzhead.hcrc?2:0)+(s.gzhead.extra?4:0)+(s.gzhead.name?8:0)+(s.gzhead.comment?16:0)),Q(s,s.gzhead.time&255),Q(
s,s.gzhead.time>>8&255),Q(s,s.gzhead.time>>16&255),Q(s,s.gzhead.time>>24&255),Q(s,s.level===9?2:s.strategy>=Yt||s.level<2?4:0),Q(s,s.gzhead.os&255),s.gzhead.extra&&
s.gzhead.extra.length&&(Q(s,s.gzhead.extra.length&255),Q(s,s.gzhead.extra.length>>8&255)),s.gzhead.hcrc&&(t.adler=G(t.adler,s.pending_buf,s.pending,0)),s.gzindex=
0,s.status=Xr):(Q(s,0),Q(s,0),Q(s,0),Q(s,0),Q(s,0),Q(s,s.level===9?2:s.strategy>=Yt||s.level<2?4:0),Q(s,ca),s.status=gt);else{var a=Jt+(s.w_bits-8<<4)<<8,h=-1;s.
strategy>=Yt||s.level<2?h=0:s.level<6?h=1:s.level===6?h=2:h=3,a|=h<<6,s.strstart!==0&&(a|=la),a+=31-a%31,s.status=gt,pt(s,a),s.strstart!==0&&(pt(s,t.adler>>>16),
pt(s,t.adler&65535)),t.adler=1}if(s.status===Xr)if(s.gzhead.extra){for(r=s.pending;s.gzindex<(s.gzhead.extra.length&65535)&&!(s.pending===s.pending_buf_size&&(s.
gzhead.hcrc&&s.pending>r&&(t.adler=G(t.adler,s.pending_buf,s.pending-r,r)),ye(t),r=s.pending,s.pending===s.pending_buf_size));)Q(s,s.gzhead.extra[s.gzindex]&255),
s.gzindex++;s.gzhead.hcrc&&s.pending>r&&(t.adler=G(t.adler,s.pending_buf,s.pending-r,r)),s.gzindex===s.gzhead.extra.length&&(s.gzindex=0,s.status=Hi)}else s.status=
Hi;if(s.status===Hi)if(s.gzhead.name){r=s.pending;do{if(s.pending===s.pending_buf_size&&(s.gzhead.hcrc&&s.pending>r&&(t.adler=G(t.adler,s.pending_buf,s.pending-
r,r)),ye(t),r=s.pending,s.pending===s.pending_buf_size)){n=1;break}s.gzindex<s.gzhead.name.length?n=s.gzhead.name.charCodeAt(s.gzindex++)&255:n=0,Q(s,n)}while(n!==
0);s.gzhead.hcrc&&s.pending>r&&(t.adler=G(t.adler,s.pending_buf,s.pending-r,r)),n===0&&(s.gzindex=0,s.status=Ui)}else s.status=Ui;if(s.status===Ui)if(s.gzhead.comment){
r=s.pending;do{if(s.pending===s.pending_buf_size&&(s.gzhead.hcrc&&s.pending>r&&(t.adler=G(t.adler,s.pending_buf,s.pending-r,r)),ye(t),r=s.pending,s.pending===s.
pending_buf_size)){n=1;break}s.gzindex<s.gzhead.comment.length?n=s.gzhead.comment.charCodeAt(s.gzindex++)&255:n=0,Q(s,n)}while(n!==0);s.gzhead.hcrc&&s.pending>r&&
(t.adler=G(t.adler,s.pending_buf,s.pending-r,r)),n===0&&(s.status=Ni)}else s.status=Ni;if(s.status===Ni&&(s.gzhead.hcrc?(s.pending+2>s.pending_buf_size&&ye(t),s.
pending+2<=s.pending_buf_size&&(Q(s,t.adler&255),Q(s,t.adler>>8&255),t.adler=0,s.status=gt)):s.status=gt),s.pending!==0){if(ye(t),t.avail_out===0)return s.last_flush=
-1,Re}else if(t.avail_in===0&&Kr(i)<=Kr(e)&&i!==Ke)return qe(t,Pi);if(s.status===jt&&t.avail_in!==0)return qe(t,Pi);if(t.avail_in!==0||s.lookahead!==0||i!==Qe&&
s.status!==jt){var c=s.strategy===Yt?da(s,i):s.strategy===jn?ua(s,i):Je[s.level].func(s,i);if((c===De||c===et)&&(s.status=jt),c===Y||c===De)return t.avail_out===
0&&(s.last_flush=-1),Re;if(c===bt&&(i===Zn?br(s):i!==vr&&(Ii(s,0,0,!1),i===qt&&(Be(s.head),s.lookahead===0&&(s.strstart=0,s.block_start=0,s.insert=0))),ye(t),t.
avail_out===0))return s.last_flush=-1,Re}return i!==Ke?Re:s.wrap<=0?yr:(s.wrap===2?(Q(s,t.adler&255),Q(s,t.adler>>8&255),Q(s,t.adler>>16&255),Q(s,t.adler>>24&255),
Q(s,t.total_in&255),Q(s,t.total_in>>8&255),Q(s,t.total_in>>16&255),Q(s,t.total_in>>24&255)):(pt(s,t.adler>>>16),pt(s,t.adler&65535)),ye(t),s.wrap>0&&(s.wrap=-s.
wrap),s.pending!==0?Re:yr)}var wt=class{constructor(){this.strm=new lt,this.chunkSize=1024*10*10,this.outputBuffer=new Uint8Array(this.chunkSize),Sr(this.strm,Gi)}deflate(i){this.strm.input=
i,this.strm.avail_in=this.strm.input.length,this.strm.next_in=0,this.strm.output=this.outputBuffer,this.strm.avail_out=this.chunkSize,this.strm.next_out=0;let e=Vi(
this.strm,qt),s=new Uint8Array(this.strm.output.buffer,0,this.strm.next_out);if(e<0)throw new Error("zlib deflate failed");if(this.strm.avail_in>0){let r=[s],n=s.
length;do{if(this.strm.output=new Uint8Array(this.chunkSize),this.strm.next_out=0,this.strm.avail_out=this.chunkSize,e=Vi(this.strm,qt),e<0)throw new Error("zli\
b deflate failed");let c=new Uint8Array(this.strm.output.buffer,0,this.strm.next_out);n+=c.length,r.push(c)}while(this.strm.avail_in>0);let a=new Uint8Array(n),
h=0;for(let c=0;c<r.length;c++)a.set(r[c],h),h+=r[c].length;s=a}return this.strm.input=null,this.strm.avail_in=0,this.strm.next_in=0,s}};var f={XK_VoidSymbol:16777215,XK_BackSpace:65288,XK_Tab:65289,XK_Linefeed:65290,XK_Clear:65291,XK_Return:65293,XK_Pause:65299,XK_Scroll_Lock:65300,XK_Sys_Req:65301,
XK_Escape:65307,XK_Delete:65535,XK_Multi_key:65312,XK_Codeinput:65335,XK_SingleCandidate:65340,XK_MultipleCandidate:65341,XK_PreviousCandidate:65342,XK_Kanji:65313,
XK_Muhenkan:65314,XK_Henkan_Mode:65315,XK_Henkan:65315,XK_Romaji:65316,XK_Hiragana:65317,XK_Katakana:65318,XK_Hiragana_Katakana:65319,XK_Zenkaku:65320,XK_Hankaku:65321,
XK_Zenkaku_Hankaku:65322,XK_Touroku:65323,XK_Massyo:65324,XK_Kana_Lock:65325,XK_Kana_Shift:65326,XK_Eisu_Shift:65327,XK_Eisu_toggle:65328,XK_Kanji_Bangou:65335,
XK_Zen_Koho:65341,XK_Mae_Koho:65342,XK_Home:65360,XK_Left:65361,XK_Up:65362,XK_Right:65363,XK_Down:65364,XK_Prior:65365,XK_Page_Up:65365,XK_Next:65366,XK_Page_Down:65366,
XK_End:65367,XK_Begin:65368,XK_Select:65376,XK_Print:65377,XK_Execute:65378,XK_Insert:65379,XK_Undo:65381,XK_Redo:65382,XK_Menu:65383,XK_Find:65384,XK_Cancel:65385,
XK_Help:65386,XK_Break:65387,XK_Mode_switch:65406,XK_script_switch:65406,XK_Num_Lock:65407,XK_KP_Space:65408,XK_KP_Tab:65417,XK_KP_Enter:65421,XK_KP_F1:65425,XK_KP_F2:65426,
XK_KP_F3:65427,XK_KP_F4:65428,XK_KP_Home:65429,XK_KP_Left:65430,XK_KP_Up:65431,XK_KP_Right:65432,XK_KP_Down:65433,XK_KP_Prior:65434,XK_KP_Page_Up:65434,XK_KP_Next:65435,
XK_KP_Page_Down:65435,XK_KP_End:65436,XK_KP_Begin:65437,XK_KP_Insert:65438,XK_KP_Delete:65439,XK_KP_Equal:65469,XK_KP_Multiply:65450,XK_KP_Add:65451,XK_KP_Separator:65452,
XK_KP_Subtract:65453,XK_KP_Decimal:65454,XK_KP_Divide:65455,XK_KP_0:65456,XK_KP_1:65457,XK_KP_2:65458,XK_KP_3:65459,XK_KP_4:65460,XK_KP_5:65461,XK_KP_6:65462,XK_KP_7:65463,
XK_KP_8:65464,XK_KP_9:65465,XK_F1:65470,XK_F2:65471,XK_F3:65472,XK_F4:65473,XK_F5:65474,XK_F6:65475,XK_F7:65476,XK_F8:65477,XK_F9:65478,XK_F10:65479,XK_F11:65480,
XK_L1:65480,XK_F12:65481,XK_L2:65481,XK_F13:65482,XK_L3:65482,XK_F14:65483,XK_L4:65483,XK_F15:65484,XK_L5:65484,XK_F16:65485,XK_L6:65485,XK_F17:65486,XK_L7:65486,
XK_F18:65487,XK_L8:65487,XK_F19:65488,XK_L9:65488,XK_F20:65489,XK_L10:65489,XK_F21:65490,XK_R1:65490,XK_F22:65491,XK_R2:65491,XK_F23:65492,XK_R3:65492,XK_F24:65493,
XK_R4:65493,XK_F25:65494,XK_R5:65494,XK_F26:65495,XK_R6:65495,XK_F27:65496,XK_R7:65496,XK_F28:65497,XK_R8:65497,XK_F29:65498,XK_R9:65498,XK_F30:65499,XK_R10:65499,
XK_F31:65500,XK_R11:65500,XK_F32:65501,XK_R12:65501,XK_F33:65502,XK_R13:65502,XK_F34:65503,XK_R14:65503,XK_F35:65504,XK_R15:65504,XK_Shift_L:65505,XK_Shift_R:65506,
XK_Control_L:65507,XK_Control_R:65508,XK_Caps_Lock:65509,XK_Shift_Lock:65510,XK_Meta_L:65511,XK_Meta_R:65512,XK_Alt_L:65513,XK_Alt_R:65514,XK_Super_L:65515,XK_Super_R:65516,
XK_Hyper_L:65517,XK_Hyper_R:65518,XK_ISO_Level3_Shift:65027,XK_ISO_Next_Group:65032,XK_ISO_Prev_Group:65034,XK_ISO_First_Group:65036,XK_ISO_Last_Group:65038,XK_space:32,
XK_exclam:33,XK_quotedbl:34,XK_numbersign:35,XK_dollar:36,XK_percent:37,XK_ampersand:38,XK_apostrophe:39,XK_quoteright:39,XK_parenleft:40,XK_parenright:41,XK_asterisk:42,
XK_plus:43,XK_comma:44,XK_minus:45,XK_period:46,XK_slash:47,XK_0:48,XK_1:49,XK_2:50,XK_3:51,XK_4:52,XK_5:53,XK_6:54,XK_7:55,XK_8:56,XK_9:57,XK_colon:58,XK_semicolon:59,
XK_less:60,XK_equal:61,XK_greater:62,XK_question:63,XK_at:64,XK_A:65,XK_B:66,XK_C:67,XK_D:68,XK_E:69,XK_F:70,XK_G:71,XK_H:72,XK_I:73,XK_J:74,XK_K:75,XK_L:76,XK_M:77,
XK_N:78,XK_O:79,XK_P:80,XK_Q:81,XK_R:82,XK_S:83,XK_T:84,XK_U:85,XK_V:86,XK_W:87,XK_X:88,XK_Y:89,XK_Z:90,XK_bracketleft:91,XK_backslash:92,XK_bracketright:93,XK_asciicircum:94,
XK_underscore:95,XK_grave:96,XK_quoteleft:96,XK_a:97,XK_b:98,XK_c:99,XK_d:100,XK_e:101,XK_f:102,XK_g:103,XK_h:104,XK_i:105,XK_j:106,XK_k:107,XK_l:108,XK_m:109,XK_n:110,
XK_o:111,XK_p:112,XK_q:113,XK_r:114,XK_s:115,XK_t:116,XK_u:117,XK_v:118,XK_w:119,XK_x:120,XK_y:121,XK_z:122,XK_braceleft:123,XK_bar:124,XK_braceright:125,XK_asciitilde:126,
XK_nobreakspace:160,XK_exclamdown:161,XK_cent:162,XK_sterling:163,XK_currency:164,XK_yen:165,XK_brokenbar:166,XK_section:167,XK_diaeresis:168,XK_copyright:169,XK_ordfeminine:170,
XK_guillemotleft:171,XK_notsign:172,XK_hyphen:173,XK_registered:174,XK_macron:175,XK_degree:176,XK_plusminus:177,XK_twosuperior:178,XK_threesuperior:179,XK_acute:180,
XK_mu:181,XK_paragraph:182,XK_periodcentered:183,XK_cedilla:184,XK_onesuperior:185,XK_masculine:186,XK_guillemotright:187,XK_onequarter:188,XK_onehalf:189,XK_threequarters:190,
XK_questiondown:191,XK_Agrave:192,XK_Aacute:193,XK_Acircumflex:194,XK_Atilde:195,XK_Adiaeresis:196,XK_Aring:197,XK_AE:198,XK_Ccedilla:199,XK_Egrave:200,XK_Eacute:201,
XK_Ecircumflex:202,XK_Ediaeresis:203,XK_Igrave:204,XK_Iacute:205,XK_Icircumflex:206,XK_Idiaeresis:207,XK_ETH:208,XK_Eth:208,XK_Ntilde:209,XK_Ograve:210,XK_Oacute:211,
XK_Ocircumflex:212,XK_Otilde:213,XK_Odiaeresis:214,XK_multiply:215,XK_Oslash:216,XK_Ooblique:216,XK_Ugrave:217,XK_Uacute:218,XK_Ucircumflex:219,XK_Udiaeresis:220,
XK_Yacute:221,XK_THORN:222,XK_Thorn:222,XK_ssharp:223,XK_agrave:224,XK_aacute:225,XK_acircumflex:226,XK_atilde:227,XK_adiaeresis:228,XK_aring:229,XK_ae:230,XK_ccedilla:231,
XK_egrave:232,XK_eacute:233,XK_ecircumflex:234,XK_ediaeresis:235,XK_igrave:236,XK_iacute:237,XK_icircumflex:238,XK_idiaeresis:239,XK_eth:240,XK_ntilde:241,XK_ograve:242,
XK_oacute:243,XK_ocircumflex:244,XK_otilde:245,XK_odiaeresis:246,XK_division:247,XK_oslash:248,XK_ooblique:248,XK_ugrave:249,XK_uacute:250,XK_ucircumflex:251,XK_udiaeresis:252,
XK_yacute:253,XK_thorn:254,XK_ydiaeresis:255,XK_Hangul:65329,XK_Hangul_Hanja:65332,XK_Hangul_Jeonja:65336,XF86XK_ModeLock:269025025,XF86XK_MonBrightnessUp:269025026,
XF86XK_MonBrightnessDown:269025027,XF86XK_KbdLightOnOff:269025028,XF86XK_KbdBrightnessUp:269025029,XF86XK_KbdBrightnessDown:269025030,XF86XK_Standby:269025040,XF86XK_AudioLowerVolume:269025041,
XF86XK_AudioMute:269025042,XF86XK_AudioRaiseVolume:269025043,XF86XK_AudioPlay:269025044,XF86XK_AudioStop:269025045,XF86XK_AudioPrev:269025046,XF86XK_AudioNext:269025047,
XF86XK_HomePage:269025048,XF86XK_Mail:269025049,XF86XK_Start:269025050,XF86XK_Search:269025051,XF86XK_AudioRecord:269025052,XF86XK_Calculator:269025053,XF86XK_Memo:269025054,
XF86XK_ToDoList:269025055,XF86XK_Calendar:269025056,XF86XK_PowerDown:269025057,XF86XK_ContrastAdjust:269025058,XF86XK_RockerUp:269025059,XF86XK_RockerDown:269025060,
XF86XK_RockerEnter:269025061,XF86XK_Back:269025062,XF86XK_Forward:269025063,XF86XK_Stop:269025064,XF86XK_Refresh:269025065,XF86XK_PowerOff:269025066,XF86XK_WakeUp:269025067,
XF86XK_Eject:269025068,XF86XK_ScreenSaver:269025069,XF86XK_WWW:269025070,XF86XK_Sleep:269025071,XF86XK_Favorites:269025072,XF86XK_AudioPause:269025073,XF86XK_AudioMedia:269025074,
XF86XK_MyComputer:269025075,XF86XK_VendorHome:269025076,XF86XK_LightBulb:269025077,XF86XK_Shop:269025078,XF86XK_History:269025079,XF86XK_OpenURL:269025080,XF86XK_AddFavorite:269025081,
XF86XK_HotLinks:269025082,XF86XK_BrightnessAdjust:269025083,XF86XK_Finance:269025084,XF86XK_Community:269025085,XF86XK_AudioRewind:269025086,XF86XK_BackForward:269025087,
XF86XK_Launch0:269025088,XF86XK_Launch1:269025089,XF86XK_Launch2:269025090,XF86XK_Launch3:269025091,XF86XK_Launch4:269025092,XF86XK_Launch5:269025093,XF86XK_Launch6:269025094,
XF86XK_Launch7:269025095,XF86XK_Launch8:269025096,XF86XK_Launch9:269025097,XF86XK_LaunchA:269025098,XF86XK_LaunchB:269025099,XF86XK_LaunchC:269025100,XF86XK_LaunchD:269025101,
XF86XK_LaunchE:269025102,XF86XK_LaunchF:269025103,XF86XK_ApplicationLeft:269025104,XF86XK_ApplicationRight:269025105,XF86XK_Book:269025106,XF86XK_CD:269025107,XF86XK_Calculater:269025108,
XF86XK_Clear:269025109,XF86XK_Close:269025110,XF86XK_Copy:269025111,XF86XK_Cut:269025112,XF86XK_Display:269025113,XF86XK_DOS:269025114,XF86XK_Documents:269025115,
XF86XK_Excel:269025116,XF86XK_Explorer:269025117,XF86XK_Game:269025118,XF86XK_Go:269025119,XF86XK_iTouch:269025120,XF86XK_LogOff:269025121,XF86XK_Market:269025122,
XF86XK_Meeting:269025123,XF86XK_MenuKB:269025125,XF86XK_MenuPB:269025126,XF86XK_MySites:269025127,XF86XK_New:269025128,XF86XK_News:269025129,XF86XK_OfficeHome:269025130,
XF86XK_Open:269025131,XF86XK_Option:269025132,XF86XK_Paste:269025133,XF86XK_Phone:269025134,XF86XK_Q:269025136,XF86XK_Reply:269025138,XF86XK_Reload:269025139,XF86XK_RotateWindows:269025140,
XF86XK_RotationPB:269025141,XF86XK_RotationKB:269025142,XF86XK_Save:269025143,XF86XK_ScrollUp:269025144,XF86XK_ScrollDown:269025145,XF86XK_ScrollClick:269025146,
XF86XK_Send:269025147,XF86XK_Spell:269025148,XF86XK_SplitScreen:269025149,XF86XK_Support:269025150,XF86XK_TaskPane:269025151,XF86XK_Terminal:269025152,XF86XK_Tools:269025153,
XF86XK_Travel:269025154,XF86XK_UserPB:269025156,XF86XK_User1KB:269025157,XF86XK_User2KB:269025158,XF86XK_Video:269025159,XF86XK_WheelButton:269025160,XF86XK_Word:269025161,
XF86XK_Xfer:269025162,XF86XK_ZoomIn:269025163,XF86XK_ZoomOut:269025164,XF86XK_Away:269025165,XF86XK_Messenger:269025166,XF86XK_WebCam:269025167,XF86XK_MailForward:269025168,
XF86XK_Pictures:269025169,XF86XK_Music:269025170,XF86XK_Battery:269025171,XF86XK_Bluetooth:269025172,XF86XK_WLAN:269025173,XF86XK_UWB:269025174,XF86XK_AudioForward:269025175,
XF86XK_AudioRepeat:269025176,XF86XK_AudioRandomPlay:269025177,XF86XK_Subtitle:269025178,XF86XK_AudioCycleTrack:269025179,XF86XK_CycleAngle:269025180,XF86XK_FrameBack:269025181,
XF86XK_FrameForward:269025182,XF86XK_Time:269025183,XF86XK_Select:269025184,XF86XK_View:269025185,XF86XK_TopMenu:269025186,XF86XK_Red:269025187,XF86XK_Green:269025188,
XF86XK_Yellow:269025189,XF86XK_Blue:269025190,XF86XK_Suspend:269025191,XF86XK_Hibernate:269025192,XF86XK_TouchpadToggle:269025193,XF86XK_TouchpadOn:269025200,XF86XK_TouchpadOff:269025201,
XF86XK_AudioMicMute:269025202,XF86XK_Switch_VT_1:269024769,XF86XK_Switch_VT_2:269024770,XF86XK_Switch_VT_3:269024771,XF86XK_Switch_VT_4:269024772,XF86XK_Switch_VT_5:269024773,
XF86XK_Switch_VT_6:269024774,XF86XK_Switch_VT_7:269024775,XF86XK_Switch_VT_8:269024776,XF86XK_Switch_VT_9:269024777,XF86XK_Switch_VT_10:269024778,XF86XK_Switch_VT_11:269024779,
XF86XK_Switch_VT_12:269024780,XF86XK_Ungrab:269024800,XF86XK_ClearGrab:269024801,XF86XK_Next_VMode:269024802,XF86XK_Prev_VMode:269024803,XF86XK_LogWindowTree:269024804,
XF86XK_LogGrabInfo:269024805};var wa={256:960,257:992,258:451,259:483,260:417,261:433,262:454,263:486,264:710,265:742,266:709,267:741,268:456,269:488,270:463,271:495,272:464,273:496,274:938,
275:954,278:972,279:1004,280:458,281:490,282:460,283:492,284:728,285:760,286:683,287:699,288:725,289:757,290:939,291:955,292:678,293:694,294:673,295:689,296:933,
297:949,298:975,299:1007,302:967,303:999,304:681,305:697,308:684,309:700,310:979,311:1011,312:930,313:453,314:485,315:934,316:950,317:421,318:437,321:419,322:435,
323:465,324:497,325:977,326:1009,327:466,328:498,330:957,331:959,332:978,333:1010,336:469,337:501,338:5052,339:5053,340:448,341:480,342:931,343:947,344:472,345:504,
346:422,347:438,348:734,349:766,350:426,351:442,352:425,353:441,354:478,355:510,356:427,357:443,358:940,359:956,360:989,361:1021,362:990,363:1022,364:733,365:765,
366:473,367:505,368:475,369:507,370:985,371:1017,376:5054,377:428,378:444,379:431,380:447,381:430,382:446,402:2294,466:16777681,711:439,728:418,729:511,731:434,
733:445,901:1966,902:1953,904:1954,905:1955,906:1956,908:1959,910:1960,911:1963,912:1974,913:1985,914:1986,915:1987,916:1988,917:1989,918:1990,919:1991,920:1992,
921:1993,922:1994,923:1995,924:1996,925:1997,926:1998,927:1999,928:2e3,929:2001,931:2002,932:2004,933:2005,934:2006,935:2007,936:2008,937:2009,938:1957,939:1961,
940:1969,941:1970,942:1971,943:1972,944:1978,945:2017,946:2018,947:2019,948:2020,949:2021,950:2022,951:2023,952:2024,953:2025,954:2026,955:2027,956:2028,957:2029,
958:2030,959:2031,960:2032,961:2033,962:2035,963:2034,964:2036,965:2037,966:2038,967:2039,968:2040,969:2041,970:1973,971:1977,972:1975,973:1976,974:1979,1025:1715,
1026:1713,1027:1714,1028:1716,1029:1717,1030:1718,1031:1719,1032:1720,1033:1721,1034:1722,1035:1723,1036:1724,1038:1726,1039:1727,1040:1761,1041:1762,1042:1783,
1043:1767,1044:1764,1045:1765,1046:1782,1047:1786,1048:1769,1049:1770,1050:1771,1051:1772,1052:1773,1053:1774,1054:1775,1055:1776,1056:1778,1057:1779,1058:1780,
1059:1781,1060:1766,1061:1768,1062:1763,1063:1790,1064:1787,1065:1789,1066:1791,1067:1785,1068:1784,1069:1788,1070:1760,1071:1777,1072:1729,1073:1730,1074:1751,
1075:1735,1076:1732,1077:1733,1078:1750,1079:1754,1080:1737,1081:1738,1082:1739,1083:1740,1084:1741,1085:1742,1086:1743,1087:1744,1088:1746,1089:1747,1090:1748,
1091:1749,1092:1734,1093:1736,1094:1731,1095:1758,1096:1755,1097:1757,1098:1759,1099:1753,1100:1752,1101:1756,1102:1728,1103:1745,1105:1699,1106:1697,1107:1698,
1108:1700,1109:1701,1110:1702,1111:1703,1112:1704,1113:1705,1114:1706,1115:1707,1116:1708,1118:1710,1119:1711,1168:1725,1169:1709,1488:3296,1489:3297,1490:3298,
1491:3299,1492:3300,1493:3301,1494:3302,1495:3303,1496:3304,1497:3305,1498:3306,1499:3307,1500:3308,1501:3309,1502:3310,1503:3311,1504:3312,1505:3313,1506:3314,
1507:3315,1508:3316,1509:3317,1510:3318,1511:3319,1512:3320,1513:3321,1514:3322,1548:1452,1563:1467,1567:1471,1569:1473,1570:1474,1571:1475,1572:1476,1573:1477,
1574:1478,1575:1479,1576:1480,1577:1481,1578:1482,1579:1483,1580:1484,1581:1485,1582:1486,1583:1487,1584:1488,1585:1489,1586:1490,1587:1491,1588:1492,1589:1493,
1590:1494,1591:1495,1592:1496,1593:1497,1594:1498,1600:1504,1601:1505,1602:1506,1603:1507,1604:1508,1605:1509,1606:1510,1607:1511,1608:1512,1609:1513,1610:1514,
1611:1515,1612:1516,1613:1517,1614:1518,1615:1519,1616:1520,1617:1521,1618:1522,3585:3489,3586:3490,3587:3491,3588:3492,3589:3493,3590:3494,3591:3495,3592:3496,
3593:3497,3594:3498,3595:3499,3596:3500,3597:3501,3598:3502,3599:3503,3600:3504,3601:3505,3602:3506,3603:3507,3604:3508,3605:3509,3606:3510,3607:3511,3608:3512,
3609:3513,3610:3514,3611:3515,3612:3516,3613:3517,3614:3518,3615:3519,3616:3520,3617:3521,3618:3522,3619:3523,3620:3524,3621:3525,3622:3526,3623:3527,3624:3528,
3625:3529,3626:3530,3627:3531,3628:3532,3629:3533,3630:3534,3631:3535,3632:3536,3633:3537,3634:3538,3635:3539,3636:3540,3637:3541,3638:3542,3639:3543,3640:3544,
3641:3545,3642:3546,3647:3551,3648:3552,3649:3553,3650:3554,3651:3555,3652:3556,3653:3557,3654:3558,3655:3559,3656:3560,3657:3561,3658:3562,3659:3563,3660:3564,
3661:3565,3664:3568,3665:3569,3666:3570,3667:3571,3668:3572,3669:3573,3670:3574,3671:3575,3672:3576,3673:3577,8194:2722,8195:2721,8196:2723,8197:2724,8199:2725,
8200:2726,8201:2727,8202:2728,8210:2747,8211:2730,8212:2729,8213:1967,8215:3295,8216:2768,8217:2769,8218:2813,8220:2770,8221:2771,8222:2814,8224:2801,8225:2802,
8226:2790,8229:2735,8230:2734,8240:2773,8242:2774,8243:2775,8248:2812,8254:1150,8361:3839,8364:8364,8453:2744,8470:1712,8471:2811,8478:2772,8482:2761,8531:2736,
8532:2737,8533:2738,8534:2739,8535:2740,8536:2741,8537:2742,8538:2743,8539:2755,8540:2756,8541:2757,8542:2758,8592:2299,8593:2300,8594:2301,8595:2302,8658:2254,
8660:2253,8706:2287,8711:2245,8728:3018,8730:2262,8733:2241,8734:2242,8743:2270,8744:2271,8745:2268,8746:2269,8747:2239,8756:2240,8764:2248,8771:2249,8773:16785992,
8800:2237,8801:2255,8804:2236,8805:2238,8834:2266,8835:2267,8866:3068,8867:3036,8868:3010,8869:3022,8968:3027,8970:3012,8981:2810,8992:2212,8993:2213,9109:3020,
9115:2219,9117:2220,9118:2221,9120:2222,9121:2215,9123:2216,9124:2217,9126:2218,9128:2223,9132:2224,9143:2209,9146:2543,9147:2544,9148:2546,9149:2547,9225:2530,
9226:2533,9227:2537,9228:2531,9229:2532,9251:2732,9252:2536,9472:2211,9474:2214,9484:2210,9488:2539,9492:2541,9496:2538,9500:2548,9508:2549,9516:2551,9524:2550,
9532:2542,9618:2529,9642:2791,9643:2785,9644:2779,9645:2786,9646:2783,9647:2767,9650:2792,9651:2787,9654:2781,9655:2765,9660:2793,9661:2788,9664:2780,9665:2764,
9670:2528,9675:2766,9679:2782,9702:2784,9734:2789,9742:2809,9747:2762,9756:2794,9758:2795,9792:2808,9794:2807,9827:2796,9829:2798,9830:2797,9837:2806,9839:2805,
10003:2803,10007:2804,10013:2777,10016:2800,10216:2748,10217:2750,12289:1188,12290:1185,12300:1186,12301:1187,12443:1246,12444:1247,12449:1191,12450:1201,12451:1192,
12452:1202,12453:1193,12454:1203,12455:1194,12456:1204,12457:1195,12458:1205,12459:1206,12461:1207,12463:1208,12465:1209,12467:1210,12469:1211,12471:1212,12473:1213,
12475:1214,12477:1215,12479:1216,12481:1217,12483:1199,12484:1218,12486:1219,12488:1220,12490:1221,12491:1222,12492:1223,12493:1224,12494:1225,12495:1226,12498:1227,
12501:1228,12504:1229,12507:1230,12510:1231,12511:1232,12512:1233,12513:1234,12514:1235,12515:1196,12516:1236,12517:1197,12518:1237,12519:1198,12520:1238,12521:1239,
12522:1240,12523:1241,12524:1242,12525:1243,12527:1244,12530:1190,12531:1245,12539:1189,12540:1200},Er={lookup(t){if(t>=32&&t<=255)return t;let i=wa[t];return i!==
void 0?i:16777216|t}};var Wi={8:"Backspace",9:"Tab",10:"NumpadClear",13:"Enter",16:"ShiftLeft",17:"ControlLeft",18:"AltLeft",19:"Pause",20:"CapsLock",21:"Lang1",25:"Lang2",27:"Escape",
28:"Convert",29:"NonConvert",32:"Space",33:"PageUp",34:"PageDown",35:"End",36:"Home",37:"ArrowLeft",38:"ArrowUp",39:"ArrowRight",40:"ArrowDown",41:"Select",44:"\
PrintScreen",45:"Insert",46:"Delete",47:"Help",48:"Digit0",49:"Digit1",50:"Digit2",51:"Digit3",52:"Digit4",53:"Digit5",54:"Digit6",55:"Digit7",56:"Digit8",57:"D\
igit9",91:"MetaLeft",92:"MetaRight",93:"ContextMenu",95:"Sleep",96:"Numpad0",97:"Numpad1",98:"Numpad2",99:"Numpad3",100:"Numpad4",101:"Numpad5",102:"Numpad6",103:"\
Numpad7",104:"Numpad8",105:"Numpad9",106:"NumpadMultiply",107:"NumpadAdd",108:"NumpadDecimal",109:"NumpadSubtract",110:"NumpadDecimal",111:"NumpadDivide",112:"F\
1",113:"F2",114:"F3",115:"F4",116:"F5",117:"F6",118:"F7",119:"F8",120:"F9",121:"F10",122:"F11",123:"F12",124:"F13",125:"F14",126:"F15",127:"F16",128:"F17",129:"\
F18",130:"F19",131:"F20",132:"F21",133:"F22",134:"F23",135:"F24",144:"NumLock",145:"ScrollLock",166:"BrowserBack",167:"BrowserForward",168:"BrowserRefresh",169:"\
BrowserStop",170:"BrowserSearch",171:"BrowserFavorites",172:"BrowserHome",173:"AudioVolumeMute",174:"AudioVolumeDown",175:"AudioVolumeUp",176:"MediaTrackNext",177:"\
MediaTrackPrevious",178:"MediaStop",179:"MediaPlayPause",180:"LaunchMail",181:"MediaSelect",182:"LaunchApp1",183:"LaunchApp2",225:"AltRight"};var Zi={Backspace:"Backspace",AltLeft:"Alt",AltRight:"Alt",CapsLock:"CapsLock",ContextMenu:"ContextMenu",ControlLeft:"Control",ControlRight:"Control",Enter:"Ent\
er",MetaLeft:"Meta",MetaRight:"Meta",ShiftLeft:"Shift",ShiftRight:"Shift",Tab:"Tab",Delete:"Delete",End:"End",Help:"Help",Home:"Home",Insert:"Insert",PageDown:"\
PageDown",PageUp:"PageUp",ArrowDown:"ArrowDown",ArrowLeft:"ArrowLeft",ArrowRight:"ArrowRight",ArrowUp:"ArrowUp",NumLock:"NumLock",NumpadBackspace:"Backspace",NumpadClear:"\
Clear",Escape:"Escape",F1:"F1",F2:"F2",F3:"F3",F4:"F4",F5:"F5",F6:"F6",F7:"F7",F8:"F8",F9:"F9",F10:"F10",F11:"F11",F12:"F12",F13:"F13",F14:"F14",F15:"F15",F16:"\
F16",F17:"F17",F18:"F18",F19:"F19",F20:"F20",F21:"F21",F22:"F22",F23:"F23",F24:"F24",F25:"F25",F26:"F26",F27:"F27",F28:"F28",F29:"F29",F30:"F30",F31:"F31",F32:"\
F32",F33:"F33",F34:"F34",F35:"F35",PrintScreen:"PrintScreen",ScrollLock:"ScrollLock",Pause:"Pause",BrowserBack:"BrowserBack",BrowserFavorites:"BrowserFavorites",
BrowserForward:"BrowserForward",BrowserHome:"BrowserHome",BrowserRefresh:"BrowserRefresh",BrowserSearch:"BrowserSearch",BrowserStop:"BrowserStop",Eject:"Eject",
LaunchApp1:"LaunchMyComputer",LaunchApp2:"LaunchCalendar",LaunchMail:"LaunchMail",MediaPlayPause:"MediaPlay",MediaStop:"MediaStop",MediaTrackNext:"MediaTrackNex\
t",MediaTrackPrevious:"MediaTrackPrevious",Power:"Power",Sleep:"Sleep",AudioVolumeDown:"AudioVolumeDown",AudioVolumeMute:"AudioVolumeMute",AudioVolumeUp:"AudioV\
olumeUp",WakeUp:"WakeUp"};var Ie={};function w(t,i){if(i===void 0)throw new Error('Undefined keysym for key "'+t+'"');if(t in Ie)throw new Error('Duplicate entry for key "'+t+'"');Ie[t]=
[i,i,i,i]}function $t(t,i,e){if(i===void 0)throw new Error('Undefined keysym for key "'+t+'"');if(e===void 0)throw new Error('Undefined keysym for key "'+t+'"');
if(t in Ie)throw new Error('Duplicate entry for key "'+t+'"');Ie[t]=[i,i,e,i]}function H(t,i,e){if(i===void 0)throw new Error('Undefined keysym for key "'+t+'"');
if(e===void 0)throw new Error('Undefined keysym for key "'+t+'"');if(t in Ie)throw new Error('Duplicate entry for key "'+t+'"');Ie[t]=[i,i,i,e]}$t("Alt",f.XK_Alt_L,
f.XK_Alt_R);w("AltGraph",f.XK_ISO_Level3_Shift);w("CapsLock",f.XK_Caps_Lock);$t("Control",f.XK_Control_L,f.XK_Control_R);$t("Meta",f.XK_Super_L,f.XK_Super_R);w(
"NumLock",f.XK_Num_Lock);w("ScrollLock",f.XK_Scroll_Lock);$t("Shift",f.XK_Shift_L,f.XK_Shift_R);H("Enter",f.XK_Return,f.XK_KP_Enter);w("Tab",f.XK_Tab);H(" ",f.XK_space,
f.XK_KP_Space);H("ArrowDown",f.XK_Down,f.XK_KP_Down);H("ArrowLeft",f.XK_Left,f.XK_KP_Left);H("ArrowRight",f.XK_Right,f.XK_KP_Right);H("ArrowUp",f.XK_Up,f.XK_KP_Up);
H("End",f.XK_End,f.XK_KP_End);H("Home",f.XK_Home,f.XK_KP_Home);H("PageDown",f.XK_Next,f.XK_KP_Next);H("PageUp",f.XK_Prior,f.XK_KP_Prior);w("Backspace",f.XK_BackSpace);
H("Clear",f.XK_Clear,f.XK_KP_Begin);w("Copy",f.XF86XK_Copy);w("Cut",f.XF86XK_Cut);H("Delete",f.XK_Delete,f.XK_KP_Delete);H("Insert",f.XK_Insert,f.XK_KP_Insert);
w("Paste",f.XF86XK_Paste);w("Redo",f.XK_Redo);w("Undo",f.XK_Undo);w("Cancel",f.XK_Cancel);w("ContextMenu",f.XK_Menu);w("Escape",f.XK_Escape);w("Execute",f.XK_Execute);
w("Find",f.XK_Find);w("Help",f.XK_Help);w("Pause",f.XK_Pause);w("Select",f.XK_Select);w("ZoomIn",f.XF86XK_ZoomIn);w("ZoomOut",f.XF86XK_ZoomOut);w("BrightnessDow\
n",f.XF86XK_MonBrightnessDown);w("BrightnessUp",f.XF86XK_MonBrightnessUp);w("Eject",f.XF86XK_Eject);w("LogOff",f.XF86XK_LogOff);w("Power",f.XF86XK_PowerOff);w("\
PowerOff",f.XF86XK_PowerDown);w("PrintScreen",f.XK_Print);w("Hibernate",f.XF86XK_Hibernate);w("Standby",f.XF86XK_Standby);w("WakeUp",f.XF86XK_WakeUp);w("AllCand\
idates",f.XK_MultipleCandidate);w("Alphanumeric",f.XK_Eisu_toggle);w("CodeInput",f.XK_Codeinput);w("Compose",f.XK_Multi_key);w("Convert",f.XK_Henkan);w("GroupFi\
rst",f.XK_ISO_First_Group);w("GroupLast",f.XK_ISO_Last_Group);w("GroupNext",f.XK_ISO_Next_Group);w("GroupPrevious",f.XK_ISO_Prev_Group);w("NonConvert",f.XK_Muhenkan);
w("PreviousCandidate",f.XK_PreviousCandidate);w("SingleCandidate",f.XK_SingleCandidate);w("HangulMode",f.XK_Hangul);w("HanjaMode",f.XK_Hangul_Hanja);w("JunjaMod\
e",f.XK_Hangul_Jeonja);w("Eisu",f.XK_Eisu_toggle);w("Hankaku",f.XK_Hankaku);w("Hiragana",f.XK_Hiragana);w("HiraganaKatakana",f.XK_Hiragana_Katakana);w("KanaMode",
f.XK_Kana_Shift);w("KanjiMode",f.XK_Kanji);w("Katakana",f.XK_Katakana);w("Romaji",f.XK_Romaji);w("Zenkaku",f.XK_Zenkaku);w("ZenkakuHankaku",f.XK_Zenkaku_Hankaku);
w("F1",f.XK_F1);w("F2",f.XK_F2);w("F3",f.XK_F3);w("F4",f.XK_F4);w("F5",f.XK_F5);w("F6",f.XK_F6);w("F7",f.XK_F7);w("F8",f.XK_F8);w("F9",f.XK_F9);w("F10",f.XK_F10);
w("F11",f.XK_F11);w("F12",f.XK_F12);w("F13",f.XK_F13);w("F14",f.XK_F14);w("F15",f.XK_F15);w("F16",f.XK_F16);w("F17",f.XK_F17);w("F18",f.XK_F18);w("F19",f.XK_F19);
w("F20",f.XK_F20);w("F21",f.XK_F21);w("F22",f.XK_F22);w("F23",f.XK_F23);w("F24",f.XK_F24);w("F25",f.XK_F25);w("F26",f.XK_F26);w("F27",f.XK_F27);w("F28",f.XK_F28);
w("F29",f.XK_F29);w("F30",f.XK_F30);w("F31",f.XK_F31);w("F32",f.XK_F32);w("F33",f.XK_F33);w("F34",f.XK_F34);w("F35",f.XK_F35);w("Close",f.XF86XK_Close);w("MailF\
orward",f.XF86XK_MailForward);w("MailReply",f.XF86XK_Reply);w("MailSend",f.XF86XK_Send);w("MediaFastForward",f.XF86XK_AudioForward);w("MediaPause",f.XF86XK_AudioPause);
w("MediaPlay",f.XF86XK_AudioPlay);w("MediaRecord",f.XF86XK_AudioRecord);w("MediaRewind",f.XF86XK_AudioRewind);w("MediaStop",f.XF86XK_AudioStop);w("MediaTrackNex\
t",f.XF86XK_AudioNext);w("MediaTrackPrevious",f.XF86XK_AudioPrev);w("New",f.XF86XK_New);w("Open",f.XF86XK_Open);w("Print",f.XK_Print);w("Save",f.XF86XK_Save);w(
"SpellCheck",f.XF86XK_Spell);w("AudioVolumeDown",f.XF86XK_AudioLowerVolume);w("AudioVolumeUp",f.XF86XK_AudioRaiseVolume);w("AudioVolumeMute",f.XF86XK_AudioMute);
w("MicrophoneVolumeMute",f.XF86XK_AudioMicMute);w("LaunchApplication1",f.XF86XK_MyComputer);w("LaunchApplication2",f.XF86XK_Calculator);w("LaunchCalendar",f.XF86XK_Calendar);
w("LaunchMail",f.XF86XK_Mail);w("LaunchMediaPlayer",f.XF86XK_AudioMedia);w("LaunchMusicPlayer",f.XF86XK_Music);w("LaunchPhone",f.XF86XK_Phone);w("LaunchScreenSa\
ver",f.XF86XK_ScreenSaver);w("LaunchSpreadsheet",f.XF86XK_Excel);w("LaunchWebBrowser",f.XF86XK_WWW);w("LaunchWebCam",f.XF86XK_WebCam);w("LaunchWordProcessor",f.
XF86XK_Word);w("BrowserBack",f.XF86XK_Back);w("BrowserFavorites",f.XF86XK_Favorites);w("BrowserForward",f.XF86XK_Forward);w("BrowserHome",f.XF86XK_HomePage);w("\
BrowserRefresh",f.XF86XK_Refresh);w("BrowserSearch",f.XF86XK_Search);w("BrowserStop",f.XF86XK_Stop);w("Dimmer",f.XF86XK_BrightnessAdjust);w("MediaAudioTrack",f.
XF86XK_AudioCycleTrack);w("RandomToggle",f.XF86XK_AudioRandomPlay);w("SplitScreenToggle",f.XF86XK_SplitScreen);w("Subtitle",f.XF86XK_Subtitle);w("VideoModeNext",
f.XF86XK_Next_VMode);H("=",f.XK_equal,f.XK_KP_Equal);H("+",f.XK_plus,f.XK_KP_Add);H("-",f.XK_minus,f.XK_KP_Subtract);H("*",f.XK_asterisk,f.XK_KP_Multiply);H("/",
f.XK_slash,f.XK_KP_Divide);H(".",f.XK_period,f.XK_KP_Decimal);H(",",f.XK_comma,f.XK_KP_Separator);H("0",f.XK_0,f.XK_KP_0);H("1",f.XK_1,f.XK_KP_1);H("2",f.XK_2,f.
XK_KP_2);H("3",f.XK_3,f.XK_KP_3);H("4",f.XK_4,f.XK_KP_4);H("5",f.XK_5,f.XK_KP_5);H("6",f.XK_6,f.XK_KP_6);H("7",f.XK_7,f.XK_KP_7);H("8",f.XK_8,f.XK_KP_8);H("9",f.
XK_9,f.XK_KP_9);var Yi=Ie;function tt(t){if(t.code){switch(t.code){case"OSLeft":return"MetaLeft";case"OSRight":return"MetaRight"}return t.code}if(t.keyCode in Wi){let i=Wi[t.keyCode];if(ve()&&
i==="ContextMenu"&&(i="MetaRight"),t.location===2)switch(i){case"ShiftLeft":return"ShiftRight";case"ControlLeft":return"ControlRight";case"AltLeft":return"AltRi\
ght"}if(t.location===3)switch(i){case"Delete":return"NumpadDecimal";case"Insert":return"Numpad0";case"End":return"Numpad1";case"ArrowDown":return"Numpad2";case"\
PageDown":return"Numpad3";case"ArrowLeft":return"Numpad4";case"ArrowRight":return"Numpad6";case"Home":return"Numpad7";case"ArrowUp":return"Numpad8";case"PageUp":
return"Numpad9";case"Enter":return"NumpadEnter"}return i}return"Unidentified"}function va(t){if(t.key!==void 0&&t.key!=="Unidentified"){switch(t.key){case"OS":return"\
Meta";case"LaunchMyComputer":return"LaunchApplication1";case"LaunchCalculator":return"LaunchApplication2"}switch(t.key){case"UIKeyInputUpArrow":return"ArrowUp";case"\
UIKeyInputDownArrow":return"ArrowDown";case"UIKeyInputLeftArrow":return"ArrowLeft";case"UIKeyInputRightArrow":return"ArrowRight";case"UIKeyInputEscape":return"E\
scape"}return t.key==="\0"&&t.code==="NumpadDecimal"?"Delete":t.key}let i=tt(t);return i in Zi?Zi[i]:t.charCode?String.fromCharCode(t.charCode):"Unidentified"}function Ar(t){
let i=va(t);if(i==="Unidentified")return null;if(i in Yi){let s=t.location;if(i==="Meta"&&s===0&&(s=2),i==="Clear"&&s===3&&tt(t)==="NumLock"&&(s=0),(s===void 0||
s>3)&&(s=0),i==="Meta"){let r=tt(t);if(r==="AltLeft")return f.XK_Meta_L;if(r==="AltRight")return f.XK_Meta_R}if(i==="Clear"&&tt(t)==="NumLock")return f.XK_Num_Lock;
if(Ne())switch(i){case"Zenkaku":case"Hankaku":return f.XK_Zenkaku_Hankaku;case"Romaji":case"KanaMode":return f.XK_Romaji}return Yi[i][s]}if(i.length!==1)return null;
let e=i.charCodeAt();return e?Er.lookup(e):null}var vt=class{constructor(i){this._target=i||null,this._keyDownList={},this._altGrArmed=!1,this._eventHandlers={keyup:this._handleKeyUp.bind(this),keydown:this._handleKeyDown.
bind(this),blur:this._allKeysUp.bind(this)},this.onkeyevent=()=>{}}_sendKeyEvent(i,e,s,r=null,n=null){if(s)this._keyDownList[e]=i;else{if(!(e in this._keyDownList))
return;delete this._keyDownList[e]}L("onkeyevent "+(s?"down":"up")+", keysym: "+i,", code: "+e+", numlock: "+r+", capslock: "+n),this.onkeyevent(i,e,s,r,n)}_getKeyCode(i){
let e=tt(i);if(e!=="Unidentified")return e;if(i.keyCode&&i.keyCode!==229)return"Platform"+i.keyCode;if(i.keyIdentifier){if(i.keyIdentifier.substr(0,2)!=="U+")return i.
keyIdentifier;let s=parseInt(i.keyIdentifier.substr(2),16);return"Platform"+String.fromCharCode(s).toUpperCase().charCodeAt()}return"Unidentified"}_handleKeyDown(i){
let e=this._getKeyCode(i),s=Ar(i),r=i.getModifierState("NumLock"),n=i.getModifierState("CapsLock");if((ve()||Oe())&&(r=null),this._altGrArmed&&(this._altGrArmed=
!1,clearTimeout(this._altGrTimeout),e==="AltRight"&&i.timeStamp-this._altGrCtrlTime<50?s=f.XK_ISO_Level3_Shift:this._sendKeyEvent(f.XK_Control_L,"ControlLeft",!0,
r,n)),e==="Unidentified"){s&&(this._sendKeyEvent(s,e,!0,r,n),this._sendKeyEvent(s,e,!1,r,n)),Ae(i);return}if(ve()||Oe())switch(s){case f.XK_Super_L:s=f.XK_Alt_L;
break;case f.XK_Super_R:s=f.XK_Super_L;break;case f.XK_Alt_L:s=f.XK_Mode_switch;break;case f.XK_Alt_R:s=f.XK_ISO_Level3_Shift;break}if(e in this._keyDownList&&(s=
this._keyDownList[e]),(ve()||Oe())&&i.metaKey&&e!=="MetaLeft"&&e!=="MetaRight"){this._sendKeyEvent(s,e,!0,r,n),this._sendKeyEvent(s,e,!1,r,n),Ae(i);return}if((ve()||
Oe())&&e==="CapsLock"){this._sendKeyEvent(f.XK_Caps_Lock,"CapsLock",!0,r,n),this._sendKeyEvent(f.XK_Caps_Lock,"CapsLock",!1,r,n),Ae(i);return}let a=[f.XK_Zenkaku_Hankaku,
f.XK_Eisu_toggle,f.XK_Katakana,f.XK_Hiragana,f.XK_Romaji];if(Ne()&&a.includes(s)){this._sendKeyEvent(s,e,!0,r,n),this._sendKeyEvent(s,e,!1,r,n),Ae(i);return}if(Ae(
i),e==="ControlLeft"&&Ne()&&!("ControlLeft"in this._keyDownList)){this._altGrArmed=!0,this._altGrTimeout=setTimeout(this._interruptAltGrSequence.bind(this),100),
this._altGrCtrlTime=i.timeStamp;return}this._sendKeyEvent(s,e,!0,r,n)}_handleKeyUp(i){Ae(i);let e=this._getKeyCode(i);if(this._interruptAltGrSequence(),(ve()||Oe())&&
e==="CapsLock"){this._sendKeyEvent(f.XK_Caps_Lock,"CapsLock",!0),this._sendKeyEvent(f.XK_Caps_Lock,"CapsLock",!1);return}this._sendKeyEvent(this._keyDownList[e],
e,!1),Ne()&&(e==="ShiftLeft"||e==="ShiftRight")&&("ShiftRight"in this._keyDownList&&this._sendKeyEvent(this._keyDownList.ShiftRight,"ShiftRight",!1),"ShiftLeft"in
this._keyDownList&&this._sendKeyEvent(this._keyDownList.ShiftLeft,"ShiftLeft",!1))}_interruptAltGrSequence(){this._altGrArmed&&(this._altGrArmed=!1,clearTimeout(
this._altGrTimeout),this._sendKeyEvent(f.XK_Control_L,"ControlLeft",!0))}_allKeysUp(){L(">> Keyboard.allKeysUp"),this._interruptAltGrSequence();for(let i in this.
_keyDownList)this._sendKeyEvent(this._keyDownList[i],i,!1);L("<< Keyboard.allKeysUp")}grab(){this._target.addEventListener("keydown",this._eventHandlers.keydown),
this._target.addEventListener("keyup",this._eventHandlers.keyup),window.addEventListener("blur",this._eventHandlers.blur)}ungrab(){this._target.removeEventListener(
"keydown",this._eventHandlers.keydown),this._target.removeEventListener("keyup",this._eventHandlers.keyup),window.removeEventListener("blur",this._eventHandlers.
blur),this._allKeysUp()}};var yt=class{constructor(){this._target=null,this._state=127,this._tracked=[],this._ignored=[],this._waitingRelease=!1,this._releaseStart=0,this._longpressTimeoutId=
null,this._twoTouchTimeoutId=null,this._boundEventHandler=this._eventHandler.bind(this)}attach(i){this.detach(),this._target=i,this._target.addEventListener("to\
uchstart",this._boundEventHandler),this._target.addEventListener("touchmove",this._boundEventHandler),this._target.addEventListener("touchend",this._boundEventHandler),
this._target.addEventListener("touchcancel",this._boundEventHandler)}detach(){this._target&&(this._stopLongpressTimeout(),this._stopTwoTouchTimeout(),this._target.
removeEventListener("touchstart",this._boundEventHandler),this._target.removeEventListener("touchmove",this._boundEventHandler),this._target.removeEventListener(
"touchend",this._boundEventHandler),this._target.removeEventListener("touchcancel",this._boundEventHandler),this._target=null)}_eventHandler(i){let e;switch(i.stopPropagation(),
i.preventDefault(),i.type){case"touchstart":e=this._touchStart;break;case"touchmove":e=this._touchMove;break;case"touchend":case"touchcancel":e=this._touchEnd;break}
for(let s=0;s<i.changedTouches.length;s++){let r=i.changedTouches[s];e.call(this,r.identifier,r.clientX,r.clientY)}}_touchStart(i,e,s){if(this._hasDetectedGesture()||
this._state===0){this._ignored.push(i);return}if(this._tracked.length>0&&Date.now()-this._tracked[0].started>250){this._state=0,this._ignored.push(i);return}if(this.
_waitingRelease){this._state=0,this._ignored.push(i);return}switch(this._tracked.push({id:i,started:Date.now(),active:!0,firstX:e,firstY:s,lastX:e,lastY:s,angle:0}),
this._tracked.length){case 1:this._startLongpressTimeout();break;case 2:this._state&=-26,this._stopLongpressTimeout();break;case 3:this._state&=-99;break;default:
this._state=0}}_touchMove(i,e,s){let r=this._tracked.find(h=>h.id===i);if(r===void 0)return;r.lastX=e,r.lastY=s;let n=e-r.firstX,a=s-r.firstY;if((r.firstX!==r.lastX||
r.firstY!==r.lastY)&&(r.angle=Math.atan2(a,n)*180/Math.PI),!this._hasDetectedGesture()){if(Math.hypot(n,a)<50)return;if(this._state&=-24,this._stopLongpressTimeout(),
this._tracked.length!==1&&(this._state&=-9),this._tracked.length!==2&&(this._state&=-97),this._tracked.length===2){let h=this._tracked.find(o=>o.id!==i);if(Math.
hypot(h.firstX-h.lastX,h.firstY-h.lastY)>50){let o=Math.abs(r.angle-h.angle);o=Math.abs((o+180)%360-180),o>90?this._state&=-33:this._state&=-65,this._isTwoTouchTimeoutRunning()&&
this._stopTwoTouchTimeout()}else this._isTwoTouchTimeoutRunning()||this._startTwoTouchTimeout()}if(!this._hasDetectedGesture())return;this._pushEvent("gesturest\
art")}this._pushEvent("gesturemove")}_touchEnd(i,e,s){if(this._ignored.indexOf(i)!==-1){this._ignored.splice(this._ignored.indexOf(i),1),this._ignored.length===
0&&this._tracked.length===0&&(this._state=127,this._waitingRelease=!1);return}if(!this._hasDetectedGesture()&&this._isTwoTouchTimeoutRunning()&&(this._stopTwoTouchTimeout(),
this._state=0),!this._hasDetectedGesture()&&(this._state&=-105,this._state&=-17,this._stopLongpressTimeout(),!this._waitingRelease))switch(this._releaseStart=Date.
now(),this._waitingRelease=!0,this._tracked.length){case 1:this._state&=-7;break;case 2:this._state&=-6;break}if(this._waitingRelease){Date.now()-this._releaseStart>
250&&(this._state=0),this._tracked.some(n=>Date.now()-n.started>1e3)&&(this._state=0);let r=this._tracked.find(n=>n.id===i);if(r.active=!1,this._hasDetectedGesture())
this._pushEvent("gesturestart");else if(this._state!==0)return}this._hasDetectedGesture()&&this._pushEvent("gestureend");for(let r=0;r<this._tracked.length;r++)
this._tracked[r].active&&this._ignored.push(this._tracked[r].id);this._tracked=[],this._state=0,this._ignored.indexOf(i)!==-1&&this._ignored.splice(this._ignored.
indexOf(i),1),this._ignored.length===0&&(this._state=127,this._waitingRelease=!1)}_hasDetectedGesture(){return!(this._state===0||this._state&this._state-1||this.
_state&7&&this._tracked.some(i=>i.active))}_startLongpressTimeout(){this._stopLongpressTimeout(),this._longpressTimeoutId=setTimeout(()=>this._longpressTimeout(),
1e3)}_stopLongpressTimeout(){clearTimeout(this._longpressTimeoutId),this._longpressTimeoutId=null}_longpressTimeout(){if(this._hasDetectedGesture())throw new Error(
"A longpress gesture failed, conflict with a different gesture");this._state=16,this._pushEvent("gesturestart")}_startTwoTouchTimeout(){this._stopTwoTouchTimeout(),
this._twoTouchTimeoutId=setTimeout(()=>this._twoTouchTimeout(),50)}_stopTwoTouchTimeout(){clearTimeout(this._twoTouchTimeoutId),this._twoTouchTimeoutId=null}_isTwoTouchTimeoutRunning(){
return this._twoTouchTimeoutId!==null}_twoTouchTimeout(){if(this._tracked.length===0)throw new Error("A pinch or two drag gesture failed, no tracked touches");let i=this.
_getAverageMovement(),e=Math.abs(i.x),s=Math.abs(i.y),r=this._getAverageDistance(),n=Math.abs(Math.hypot(r.first.x,r.first.y)-Math.hypot(r.last.x,r.last.y));s<n&&
e<n?this._state=64:this._state=32,this._pushEvent("gesturestart"),this._pushEvent("gesturemove")}_pushEvent(i){let e={type:this._stateToGesture(this._state)},s=this.
_getPosition(),r=s.last;switch(i==="gesturestart"&&(r=s.first),this._state){case 32:case 64:r=s.first;break}if(e.clientX=r.x,e.clientY=r.y,this._state===64){let a=this.
_getAverageDistance();i==="gesturestart"?(e.magnitudeX=a.first.x,e.magnitudeY=a.first.y):(e.magnitudeX=a.last.x,e.magnitudeY=a.last.y)}else if(this._state===32)
if(i==="gesturestart")e.magnitudeX=0,e.magnitudeY=0;else{let a=this._getAverageMovement();e.magnitudeX=a.x,e.magnitudeY=a.y}let n=new CustomEvent(i,{detail:e});
this._target.dispatchEvent(n)}_stateToGesture(i){switch(i){case 1:return"onetap";case 2:return"twotap";case 4:return"threetap";case 8:return"drag";case 16:return"\
longpress";case 32:return"twodrag";case 64:return"pinch"}throw new Error("Unknown gesture state: "+i)}_getPosition(){if(this._tracked.length===0)throw new Error(
"Failed to get gesture position, no tracked touches");let i=this._tracked.length,e=0,s=0,r=0,n=0;for(let a=0;a<this._tracked.length;a++)e+=this._tracked[a].firstX,
s+=this._tracked[a].firstY,r+=this._tracked[a].lastX,n+=this._tracked[a].lastY;return{first:{x:e/i,y:s/i},last:{x:r/i,y:n/i}}}_getAverageMovement(){if(this._tracked.
length===0)throw new Error("Failed to get gesture movement, no tracked touches");let i,e;i=e=0;let s=this._tracked.length;for(let r=0;r<this._tracked.length;r++)
i+=this._tracked[r].lastX-this._tracked[r].firstX,e+=this._tracked[r].lastY-this._tracked[r].firstY;return{x:i/s,y:e/s}}_getAverageDistance(){if(this._tracked.length===
0)throw new Error("Failed to get gesture distance, no tracked touches");let i=this._tracked[0],e=this._tracked[this._tracked.length-1],s=Math.abs(e.firstX-i.firstX),
r=Math.abs(e.firstY-i.firstY),n=Math.abs(e.lastX-i.lastX),a=Math.abs(e.lastY-i.lastY);return{first:{x:s,y:r},last:{x:n,y:a}}}};var Xt=!as||gi,Kt=class{constructor(){this._target=null,this._canvas=document.createElement("canvas"),Xt&&(this._canvas.style.position="fixed",this._canvas.style.
zIndex="65535",this._canvas.style.pointerEvents="none",this._canvas.style.userSelect="none",this._canvas.style.WebkitUserSelect="none",this._canvas.style.visibility=
"hidden"),this._position={x:0,y:0},this._hotSpot={x:0,y:0},this._eventHandlers={mouseover:this._handleMouseOver.bind(this),mouseleave:this._handleMouseLeave.bind(
this),mousemove:this._handleMouseMove.bind(this),mouseup:this._handleMouseUp.bind(this)}}attach(i){if(this._target&&this.detach(),this._target=i,Xt){document.body.
appendChild(this._canvas);let e={capture:!0,passive:!0};this._target.addEventListener("mouseover",this._eventHandlers.mouseover,e),this._target.addEventListener(
"mouseleave",this._eventHandlers.mouseleave,e),this._target.addEventListener("mousemove",this._eventHandlers.mousemove,e),this._target.addEventListener("mouseup",
this._eventHandlers.mouseup,e)}this.clear()}detach(){if(this._target){if(Xt){let i={capture:!0,passive:!0};this._target.removeEventListener("mouseover",this._eventHandlers.
mouseover,i),this._target.removeEventListener("mouseleave",this._eventHandlers.mouseleave,i),this._target.removeEventListener("mousemove",this._eventHandlers.mousemove,
i),this._target.removeEventListener("mouseup",this._eventHandlers.mouseup,i),document.contains(this._canvas)&&document.body.removeChild(this._canvas)}this._target=
null}}change(i,e,s,r,n){if(r===0||n===0){this.clear();return}this._position.x=this._position.x+this._hotSpot.x-e,this._position.y=this._position.y+this._hotSpot.
y-s,this._hotSpot.x=e,this._hotSpot.y=s;let a=this._canvas.getContext("2d");this._canvas.width=r,this._canvas.height=n;let h=new ImageData(new Uint8ClampedArray(
i),r,n);if(a.clearRect(0,0,r,n),a.putImageData(h,0,0),Xt)this._updatePosition();else{let c=this._canvas.toDataURL();this._target.style.cursor="url("+c+")"+e+" "+
s+", default"}}clear(){this._target.style.cursor="none",this._canvas.width=0,this._canvas.height=0,this._position.x=this._position.x+this._hotSpot.x,this._position.
y=this._position.y+this._hotSpot.y,this._hotSpot.x=0,this._hotSpot.y=0}move(i,e){if(!Xt)return;window.visualViewport?(this._position.x=i+window.visualViewport.offsetLeft,
this._position.y=e+window.visualViewport.offsetTop):(this._position.x=i,this._position.y=e),this._updatePosition();let s=document.elementFromPoint(i,e);this._updateVisibility(
s)}_handleMouseOver(i){this._handleMouseMove(i)}_handleMouseLeave(i){this._updateVisibility(i.relatedTarget)}_handleMouseMove(i){this._updateVisibility(i.target),
this._position.x=i.clientX-this._hotSpot.x,this._position.y=i.clientY-this._hotSpot.y,this._updatePosition()}_handleMouseUp(i){let e=document.elementFromPoint(i.
clientX,i.clientY);this._updateVisibility(e),this._captureIsActive()&&window.setTimeout(()=>{this._target&&(e=document.elementFromPoint(i.clientX,i.clientY),this.
_updateVisibility(e))},0)}_showCursor(){this._canvas.style.visibility==="hidden"&&(this._canvas.style.visibility="")}_hideCursor(){this._canvas.style.visibility!==
"hidden"&&(this._canvas.style.visibility="hidden")}_shouldShowCursor(i){return i?i===this._target?!0:!(!this._target.contains(i)||window.getComputedStyle(i).cursor!==
"none"):!1}_updateVisibility(i){this._captureIsActive()&&(i=document.captureElement),this._shouldShowCursor(i)?this._showCursor():this._hideCursor()}_updatePosition(){
this._canvas.style.left=this._position.x+"px",this._canvas.style.top=this._position.y+"px"}_captureIsActive(){return document.captureElement&&document.documentElement.
contains(document.captureElement)}};var ji=40*1024*1024,ei={CONNECTING:"connecting",OPEN:"open",CLOSING:"closing",CLOSED:"closed"},ti={CONNECTING:[WebSocket.CONNECTING,ei.CONNECTING],OPEN:[WebSocket.
OPEN,ei.OPEN],CLOSING:[WebSocket.CLOSING,ei.CLOSING],CLOSED:[WebSocket.CLOSED,ei.CLOSED]},Cr=["send","close","binaryType","onerror","onmessage","onopen","protoc\
ol","readyState"],kt=class{constructor(){this._websocket=null,this._rQi=0,this._rQlen=0,this._rQbufferSize=1024*1024*4,this._rQ=null,this._sQbufferSize=1024*10,
this._sQlen=0,this._sQ=null,this._eventHandlers={message:()=>{},open:()=>{},close:()=>{},error:()=>{}}}get readyState(){let i;return this._websocket===null?"unu\
sed":(i=this._websocket.readyState,ti.CONNECTING.includes(i)?"connecting":ti.OPEN.includes(i)?"open":ti.CLOSING.includes(i)?"closing":ti.CLOSED.includes(i)?"clo\
sed":"unknown")}rQpeek8(){return this._rQ[this._rQi]}rQskipBytes(i){this._rQi+=i}rQshift8(){return this._rQshift(1)}rQshift16(){return this._rQshift(2)}rQshift32(){
return this._rQshift(4)}_rQshift(i){let e=0;for(let s=i-1;s>=0;s--)e+=this._rQ[this._rQi++]<<s*8;return e>>>0}rQlen(){return this._rQlen-this._rQi}rQshiftStr(i){
let e="";for(let s=0;s<i;s+=4096){let r=this.rQshiftBytes(Math.min(4096,i-s),!1);e+=String.fromCharCode.apply(null,r)}return e}rQshiftBytes(i,e=!0){return this.
_rQi+=i,e?this._rQ.slice(this._rQi-i,this._rQi):this._rQ.subarray(this._rQi-i,this._rQi)}rQshiftTo(i,e){i.set(new Uint8Array(this._rQ.buffer,this._rQi,e)),this.
_rQi+=e}rQpeekBytes(i,e=!0){return e?this._rQ.slice(this._rQi,this._rQi+i):this._rQ.subarray(this._rQi,this._rQi+i)}rQwait(i,e,s){if(this._rQlen-this._rQi<e){if(s){
if(this._rQi<s)throw new Error("rQwait cannot backup "+s+" bytes");this._rQi-=s}return!0}return!1}sQpush8(i){this._sQensureSpace(1),this._sQ[this._sQlen++]=i}sQpush16(i){
this._sQensureSpace(2),this._sQ[this._sQlen++]=i>>8&255,this._sQ[this._sQlen++]=i>>0&255}sQpush32(i){this._sQensureSpace(4),this._sQ[this._sQlen++]=i>>24&255,this.
_sQ[this._sQlen++]=i>>16&255,this._sQ[this._sQlen++]=i>>8&255,this._sQ[this._sQlen++]=i>>0&255}sQpushString(i){let e=i.split("").map(s=>s.charCodeAt(0));this.sQpushBytes(
new Uint8Array(e))}sQpushBytes(i){for(let e=0;e<i.length;){this._sQensureSpace(1);let s=this._sQbufferSize-this._sQlen;s>i.length-e&&(s=i.length-e),this._sQ.set(
i.subarray(e,e+s),this._sQlen),this._sQlen+=s,e+=s}}flush(){this._sQlen>0&&this.readyState==="open"&&(this._websocket.send(new Uint8Array(this._sQ.buffer,0,this.
_sQlen)),this._sQlen=0)}_sQensureSpace(i){this._sQbufferSize-this._sQlen<i&&this.flush()}off(i){this._eventHandlers[i]=()=>{}}on(i,e){this._eventHandlers[i]=e}_allocateBuffers(){
this._rQ=new Uint8Array(this._rQbufferSize),this._sQ=new Uint8Array(this._sQbufferSize)}init(){this._allocateBuffers(),this._rQi=0,this._websocket=null}open(i,e){
this.attach(new WebSocket(i,e))}attach(i){this.init();let e=[...Object.keys(i),...Object.getOwnPropertyNames(Object.getPrototypeOf(i))];for(let s=0;s<Cr.length;s++){
let r=Cr[s];if(e.indexOf(r)<0)throw new Error("Raw channel missing property: "+r)}this._websocket=i,this._websocket.binaryType="arraybuffer",this._websocket.onmessage=
this._recvMessage.bind(this),this._websocket.onopen=()=>{L(">> WebSock.onopen"),this._websocket.protocol&&V("Server choose sub-protocol: "+this._websocket.protocol),
this._eventHandlers.open(),L("<< WebSock.onopen")},this._websocket.onclose=s=>{L(">> WebSock.onclose"),this._eventHandlers.close(s),L("<< WebSock.onclose")},this.
_websocket.onerror=s=>{L(">> WebSock.onerror: "+s),this._eventHandlers.error(s),L("<< WebSock.onerror: "+s)}}close(){this._websocket&&((this.readyState==="conne\
cting"||this.readyState==="open")&&(V("Closing WebSocket connection"),this._websocket.close()),this._websocket.onmessage=()=>{})}_expandCompactRQ(i){let e=(this.
_rQlen-this._rQi+i)*8,s=this._rQbufferSize<e;if(s&&(this._rQbufferSize=Math.max(this._rQbufferSize*2,e)),this._rQbufferSize>ji&&(this._rQbufferSize=ji,this._rQbufferSize-
(this._rQlen-this._rQi)<i))throw new Error("Receive queue buffer exceeded "+ji+" bytes, and the new message could not fit");if(s){let r=this._rQ.buffer;this._rQ=
new Uint8Array(this._rQbufferSize),this._rQ.set(new Uint8Array(r,this._rQi,this._rQlen-this._rQi))}else this._rQ.copyWithin(0,this._rQi,this._rQlen);this._rQlen=
this._rQlen-this._rQi,this._rQi=0}_recvMessage(i){this._rQlen==this._rQi&&(this._rQlen=0,this._rQi=0);let e=new Uint8Array(i.data);e.length>this._rQbufferSize-this.
_rQlen&&this._expandCompactRQ(e.length),this._rQ.set(e,this._rQlen),this._rQlen+=e.length,this._rQlen-this._rQi>0?this._eventHandlers.message():L("Ignoring empt\
y message")}};var Lr={Again:57349,AltLeft:56,AltRight:57400,ArrowDown:57424,ArrowLeft:57419,ArrowRight:57421,ArrowUp:57416,AudioVolumeDown:57390,AudioVolumeMute:57376,AudioVolumeUp:57392,
Backquote:41,Backslash:43,Backspace:14,BracketLeft:26,BracketRight:27,BrowserBack:57450,BrowserFavorites:57446,BrowserForward:57449,BrowserHome:57394,BrowserRefresh:57447,
BrowserSearch:57445,BrowserStop:57448,CapsLock:58,Comma:51,ContextMenu:57437,ControlLeft:29,ControlRight:57373,Convert:121,Copy:57464,Cut:57404,Delete:57427,Digit0:11,
Digit1:2,Digit2:3,Digit3:4,Digit4:5,Digit5:6,Digit6:7,Digit7:8,Digit8:9,Digit9:10,Eject:57469,End:57423,Enter:28,Equal:13,Escape:1,F1:59,F10:68,F11:87,F12:88,F13:93,
F14:94,F15:95,F16:85,F17:57347,F18:57463,F19:57348,F2:60,F20:90,F21:116,F22:57465,F23:109,F24:111,F3:61,F4:62,F5:63,F6:64,F7:65,F8:66,F9:67,Find:57409,Help:57461,
Hiragana:119,Home:57415,Insert:57426,IntlBackslash:86,IntlRo:115,IntlYen:125,KanaMode:112,Katakana:120,KeyA:30,KeyB:48,KeyC:46,KeyD:32,KeyE:18,KeyF:33,KeyG:34,KeyH:35,
KeyI:23,KeyJ:36,KeyK:37,KeyL:38,KeyM:50,KeyN:49,KeyO:24,KeyP:25,KeyQ:16,KeyR:19,KeyS:31,KeyT:20,KeyU:22,KeyV:47,KeyW:17,KeyX:45,KeyY:21,KeyZ:44,Lang1:114,Lang2:113,
Lang3:120,Lang4:119,Lang5:118,LaunchApp1:57451,LaunchApp2:57377,LaunchMail:57452,MediaPlayPause:57378,MediaSelect:57453,MediaStop:57380,MediaTrackNext:57369,MediaTrackPrevious:57360,
MetaLeft:57435,MetaRight:57436,Minus:12,NonConvert:123,NumLock:69,Numpad0:82,Numpad1:79,Numpad2:80,Numpad3:81,Numpad4:75,Numpad5:76,Numpad6:77,Numpad7:71,Numpad8:72,
Numpad9:73,NumpadAdd:78,NumpadComma:126,NumpadDecimal:83,NumpadDivide:57397,NumpadEnter:57372,NumpadEqual:89,NumpadMultiply:55,NumpadParenLeft:57462,NumpadParenRight:57467,
NumpadSubtract:74,Open:100,PageDown:57425,PageUp:57417,Paste:101,Pause:57414,Period:52,Power:57438,PrintScreen:84,Props:57350,Quote:40,ScrollLock:70,Semicolon:39,
ShiftLeft:42,ShiftRight:54,Slash:53,Sleep:57439,Space:57,Suspend:57381,Tab:15,Undo:57351,WakeUp:57443};var R={encodingRaw:0,encodingCopyRect:1,encodingRRE:2,encodingHextile:5,encodingZlib:6,encodingTight:7,encodingZRLE:16,encodingTightPNG:-260,encodingJPEG:21,encodingH264:50,
pseudoEncodingQualityLevel9:-23,pseudoEncodingQualityLevel0:-32,pseudoEncodingDesktopSize:-223,pseudoEncodingLastRect:-224,pseudoEncodingCursor:-239,pseudoEncodingQEMUExtendedKeyEvent:-258,
pseudoEncodingQEMULedEvent:-261,pseudoEncodingDesktopName:-307,pseudoEncodingExtendedDesktopSize:-308,pseudoEncodingXvp:-309,pseudoEncodingFence:-312,pseudoEncodingContinuousUpdates:-313,
pseudoEncodingExtendedMouseButtons:-316,pseudoEncodingCompressLevel9:-247,pseudoEncodingCompressLevel0:-256,pseudoEncodingVMwareCursor:1464686180,pseudoEncodingExtendedClipboard:3231835598};var ii=class t{constructor(){this._key=null}get algorithm(){return{name:"AES-ECB"}}static async importKey(i,e,s,r){let n=new t;return await n._importKey(i,s,r),
n}async _importKey(i,e,s){this._key=await window.crypto.subtle.importKey("raw",i,{name:"AES-CBC"},e,s)}async encrypt(i,e){let s=new Uint8Array(e);if(s.length%16!==
0||this._key===null)return null;let r=s.length/16;for(let n=0;n<r;n++){let a=new Uint8Array(await window.crypto.subtle.encrypt({name:"AES-CBC",iv:new Uint8Array(
16)},this._key,s.slice(n*16,n*16+16))).slice(0,16);s.set(a,n*16)}return s}},si=class t{constructor(){this._rawKey=null,this._ctrKey=null,this._cbcKey=null,this.
_zeroBlock=new Uint8Array(16),this._prefixBlock0=this._zeroBlock,this._prefixBlock1=new Uint8Array([0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]),this._prefixBlock2=new Uint8Array(
[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2])}get algorithm(){return{name:"AES-EAX"}}async _encryptBlock(i){let e=await window.crypto.subtle.encrypt({name:"AES-CBC",iv:this.
_zeroBlock},this._cbcKey,i);return new Uint8Array(e).slice(0,16)}async _initCMAC(){let i=await this._encryptBlock(this._zeroBlock),e=new Uint8Array(16),s=i[0]>>>
6;for(let n=0;n<15;n++)e[n]=i[n+1]>>6|i[n]<<2,i[n]=i[n+1]>>7|i[n]<<1;let r=[0,135,14,137];e[14]^=s>>>1,e[15]=i[15]<<2^r[s],i[15]=i[15]<<1^r[s>>1],this._k1=i,this.
_k2=e}async _encryptCTR(i,e){let s=await window.crypto.subtle.encrypt({name:"AES-CTR",counter:e,length:128},this._ctrKey,i);return new Uint8Array(s)}async _decryptCTR(i,e){
let s=await window.crypto.subtle.decrypt({name:"AES-CTR",counter:e,length:128},this._ctrKey,i);return new Uint8Array(s)}async _computeCMAC(i,e){if(e.length!==16)
return null;let s=Math.floor(i.length/16),r=Math.ceil(i.length/16),n=i.length-s*16,a=new Uint8Array((r+1)*16);if(a.set(e),a.set(i,16),n===0)for(let o=0;o<16;o++)
a[s*16+o]^=this._k1[o];else{a[(s+1)*16+n]=128;for(let o=0;o<16;o++)a[(s+1)*16+o]^=this._k2[o]}let h=await window.crypto.subtle.encrypt({name:"AES-CBC",iv:this._zeroBlock},
this._cbcKey,a);return h=new Uint8Array(h),h.slice(h.length-32,h.length-16)}static async importKey(i,e,s,r){let n=new t;return await n._importKey(i),n}async _importKey(i){
this._rawKey=i,this._ctrKey=await window.crypto.subtle.importKey("raw",i,{name:"AES-CTR"},!1,["encrypt","decrypt"]),this._cbcKey=await window.crypto.subtle.importKey(
"raw",i,{name:"AES-CBC"},!1,["encrypt"]),await this._initCMAC()}async encrypt(i,e){let s=i.additionalData,r=i.iv,n=await this._computeCMAC(r,this._prefixBlock0),
a=await this._encryptCTR(e,n),h=await this._computeCMAC(s,this._prefixBlock1),c=await this._computeCMAC(a,this._prefixBlock2);for(let l=0;l<16;l++)c[l]^=n[l]^h[l];
let o=new Uint8Array(16+a.length);return o.set(a),o.set(c,a.length),o}async decrypt(i,e){let s=e.slice(0,e.length-16),r=i.additionalData,n=i.iv,a=e.slice(e.length-
16),h=await this._computeCMAC(n,this._prefixBlock0),c=await this._computeCMAC(r,this._prefixBlock1),o=await this._computeCMAC(s,this._prefixBlock2);for(let u=0;u<
16;u++)o[u]^=h[u]^c[u];if(o.length!==a.length)return null;for(let u=0;u<a.length;u++)if(o[u]!==a[u])return null;return await this._decryptCTR(s,h)}};var Tr=[13,16,10,23,0,4,2,27,14,5,20,9,22,18,11,3,25,7,15,6,26,19,12,1,40,51,30,36,46,54,29,39,50,44,32,47,43,48,38,55,33,52,45,41,49,35,28,31],Xa=[1,2,4,6,8,10,
12,14,15,17,19,21,23,25,27,28],_=0,p,g,v,b,m,y;p=65536;g=1<<24;v=p|g;b=4;m=1024;y=b|m;var Mr=[v|m,_|_,p|_,v|y,v|b,p|y,_|b,p|_,_|m,v|m,v|y,_|m,g|y,v|b,g|_,_|b,_|
y,g|m,g|m,p|m,p|m,v|_,v|_,g|y,p|b,g|b,g|b,p|b,_|_,_|y,p|y,g|_,p|_,v|y,_|b,v|_,v|m,g|_,g|_,_|m,v|b,p|_,p|m,g|b,_|m,_|b,g|y,p|y,v|y,p|b,v|_,g|y,g|b,_|y,p|y,v|m,_|
y,g|m,g|m,_|_,p|b,p|m,_|_,v|b];p=1<<20;g=1<<31;v=p|g;b=32;m=32768;y=b|m;var Rr=[v|y,g|m,_|m,p|y,p|_,_|b,v|b,g|y,g|b,v|y,v|m,g|_,g|m,p|_,_|b,v|b,p|m,p|b,g|y,_|_,
g|_,_|m,p|y,v|_,p|b,g|b,_|_,p|m,_|y,v|m,v|_,_|y,_|_,p|y,v|b,p|_,g|y,v|_,v|m,_|m,v|_,g|m,_|b,v|y,p|y,_|b,_|m,g|_,_|y,v|m,p|_,g|b,p|b,g|y,g|b,p|b,p|m,_|_,g|m,_|y,
g|_,v|b,v|y,p|m];p=1<<17;g=1<<27;v=p|g;b=8;m=512;y=b|m;var Br=[_|y,v|m,_|_,v|b,g|m,_|_,p|y,g|m,p|b,g|b,g|b,p|_,v|y,p|b,v|_,_|y,g|_,_|b,v|m,_|m,p|m,v|_,v|b,p|y,g|
y,p|m,p|_,g|y,_|b,v|y,_|m,g|_,v|m,g|_,p|b,_|y,p|_,v|m,g|m,_|_,_|m,p|b,v|y,g|m,g|b,_|m,_|_,v|b,g|y,p|_,g|_,v|y,_|b,p|y,p|m,g|b,v|_,g|y,_|y,v|_,p|y,_|b,v|b,p|m];p=
8192;g=1<<23;v=p|g;b=1;m=128;y=b|m;var Dr=[v|b,p|y,p|y,_|m,v|m,g|y,g|b,p|b,_|_,v|_,v|_,v|y,_|y,_|_,g|m,g|b,_|b,p|_,g|_,v|b,_|m,g|_,p|b,p|m,g|y,_|b,p|m,g|m,p|_,v|
m,v|y,_|y,g|m,g|b,v|_,v|y,_|y,_|_,_|_,v|_,p|m,g|m,g|y,_|b,v|b,p|y,p|y,_|m,v|y,_|y,_|b,p|_,g|b,p|b,v|m,g|y,p|b,p|m,g|_,v|b,_|m,g|_,p|_,v|m];p=1<<25;g=1<<30;v=p|g;
b=256;m=1<<19;y=b|m;var Qr=[_|b,p|y,p|m,v|b,_|m,_|b,g|_,p|m,g|y,_|m,p|b,g|y,v|b,v|m,_|y,g|_,p|_,g|m,g|m,_|_,g|b,v|y,v|y,p|b,v|m,g|b,_|_,v|_,p|y,p|_,v|_,_|y,_|m,
v|b,_|b,p|_,g|_,p|m,v|b,g|y,p|b,g|_,v|m,p|y,g|y,_|b,p|_,v|m,v|y,_|y,v|_,v|y,p|m,_|_,g|m,v|_,_|y,p|b,g|b,_|m,_|_,g|m,p|y,g|b];p=1<<22;g=1<<29;v=p|g;b=16;m=16384;
y=b|m;var Ir=[g|b,v|_,_|m,v|y,v|_,_|b,v|y,p|_,g|m,p|y,p|_,g|b,p|b,g|m,g|_,_|y,_|_,p|b,g|y,_|m,p|m,g|y,_|b,v|b,v|b,_|_,p|y,v|m,_|y,p|m,v|m,g|_,g|m,_|b,v|b,p|m,v|
y,p|_,_|y,g|b,p|_,g|m,g|_,_|y,g|b,v|y,p|m,v|_,p|y,v|m,_|_,v|b,_|b,_|m,v|_,p|y,_|m,p|b,g|y,_|_,v|m,g|_,p|b,g|y];p=1<<21;g=1<<26;v=p|g;b=2;m=2048;y=b|m;var Pr=[p|
_,v|b,g|y,_|_,_|m,g|y,p|y,v|m,v|y,p|_,_|_,g|b,_|b,g|_,v|b,_|y,g|m,p|y,p|b,g|m,g|b,v|_,v|m,p|b,v|_,_|m,_|y,v|y,p|m,_|b,g|_,p|m,g|_,p|m,p|_,g|y,g|y,v|b,v|b,_|b,p|
b,g|_,g|m,p|_,v|m,_|y,p|y,v|m,_|y,g|b,v|y,v|_,p|m,_|_,_|b,v|y,_|_,p|y,v|_,_|m,g|b,g|m,_|m,p|b];p=1<<18;g=1<<28;v=p|g;b=64;m=4096;y=b|m;var Hr=[g|y,_|m,p|_,v|y,g|
_,g|y,_|b,g|_,p|b,v|_,v|y,p|m,v|m,p|y,_|m,_|b,v|_,g|b,g|m,_|y,p|m,p|b,v|b,v|m,_|y,_|_,_|_,v|b,g|b,g|m,p|y,p|_,p|y,p|_,v|m,_|m,_|b,v|b,_|m,p|y,g|m,_|b,g|b,v|_,v|
b,g|_,p|_,g|y,_|_,v|y,p|b,g|b,v|_,g|m,g|y,_|_,v|y,p|m,p|m,_|y,_|y,p|b,g|_,v|m],ri=class{constructor(i){this.keys=[];let e=[],s=[],r=[];for(let n=0,a=56;n<56;++n,
a-=8){a+=a<-5?65:a<-3?31:a<-1?63:a===27?35:0;let h=a&7;e[n]=(i[a>>>3]&1<<h)!==0?1:0}for(let n=0;n<16;++n){let a=n<<1,h=a+1;r[a]=r[h]=0;for(let c=28;c<59;c+=28)for(let o=c-
28;o<c;++o){let l=o+Xa[n];s[o]=l<c?e[l]:e[l-28]}for(let c=0;c<24;++c)s[Tr[c]]!==0&&(r[a]|=1<<23-c),s[Tr[c+24]]!==0&&(r[h]|=1<<23-c)}for(let n=0,a=0,h=0;n<16;++n){
let c=r[a++],o=r[a++];this.keys[h]=(c&16515072)<<6,this.keys[h]|=(c&4032)<<10,this.keys[h]|=(o&16515072)>>>10,this.keys[h]|=(o&4032)>>>6,++h,this.keys[h]=(c&258048)<<
12,this.keys[h]|=(c&63)<<16,this.keys[h]|=(o&258048)>>>4,this.keys[h]|=o&63,++h}}enc8(i){let e=i.slice(),s=0,r,n,a;r=e[s++]<<24|e[s++]<<16|e[s++]<<8|e[s++],n=e[s++]<<
24|e[s++]<<16|e[s++]<<8|e[s++],a=(r>>>4^n)&252645135,n^=a,r^=a<<4,a=(r>>>16^n)&65535,n^=a,r^=a<<16,a=(n>>>2^r)&858993459,r^=a,n^=a<<2,a=(n>>>8^r)&16711935,r^=a,
n^=a<<8,n=n<<1|n>>>31&1,a=(r^n)&2863311530,r^=a,n^=a,r=r<<1|r>>>31&1;for(let h=0,c=0;h<8;++h){a=n<<28|n>>>4,a^=this.keys[c++];let o=Pr[a&63];o|=Qr[a>>>8&63],o|=
Br[a>>>16&63],o|=Mr[a>>>24&63],a=n^this.keys[c++],o|=Hr[a&63],o|=Ir[a>>>8&63],o|=Dr[a>>>16&63],o|=Rr[a>>>24&63],r^=o,a=r<<28|r>>>4,a^=this.keys[c++],o=Pr[a&63],
o|=Qr[a>>>8&63],o|=Br[a>>>16&63],o|=Mr[a>>>24&63],a=r^this.keys[c++],o|=Hr[a&63],o|=Ir[a>>>8&63],o|=Dr[a>>>16&63],o|=Rr[a>>>24&63],n^=o}for(n=n<<31|n>>>1,a=(r^n)&
2863311530,r^=a,n^=a,r=r<<31|r>>>1,a=(r>>>8^n)&16711935,n^=a,r^=a<<8,a=(r>>>2^n)&858993459,n^=a,r^=a<<2,a=(n>>>16^r)&65535,r^=a,n^=a<<16,a=(n>>>4^r)&252645135,r^=
a,n^=a<<4,a=[n,r],s=0;s<8;s++)e[s]=(a[s>>>2]>>>8*(3-s%4))%256,e[s]<0&&(e[s]+=256);return e}},ni=class t{constructor(){this._cipher=null}get algorithm(){return{name:"\
DES-ECB"}}static importKey(i,e,s,r){let n=new t;return n._importKey(i),n}_importKey(i,e,s){this._cipher=new ri(i)}encrypt(i,e){let s=new Uint8Array(e);if(s.length%
8!==0||this._cipher===null)return null;let r=s.length/8;for(let n=0;n<r;n++)s.set(this._cipher.enc8(s.slice(n*8,n*8+8)),n*8);return s}},ai=class t{constructor(){
this._cipher=null}get algorithm(){return{name:"DES-CBC"}}static importKey(i,e,s,r){let n=new t;return n._importKey(i),n}_importKey(i){this._cipher=new ri(i)}encrypt(i,e){
let s=new Uint8Array(e),r=new Uint8Array(i.iv);if(s.length%8!==0||this._cipher===null)return null;let n=s.length/8;for(let a=0;a<n;a++){for(let h=0;h<8;h++)r[h]^=
e[a*8+h];r=this._cipher.enc8(r),s.set(r,a*8)}return s}};function it(t,i,e){let s=1n;for(t=t%e;i>0n;)(i&1n)===1n&&(s=s*t%e),i=i>>1n,t=t*t%e;return s}function st(t,i=0){let e=t.toString(16);i===0&&(i=Math.ceil(e.length/
2)),e=e.padStart(i*2,"0");let s=e.length/2,r=new Uint8Array(s);for(let n=0;n<s;n++)r[n]=parseInt(e.slice(n*2,n*2+2),16);return r}function ne(t){let i="0x";for(let e=0;e<
t.length;e++)i+=t[e].toString(16).padStart(2,"0");return BigInt(i)}var oi=class t{constructor(){this._keyLength=0,this._keyBytes=0,this._n=null,this._e=null,this._d=null,this._nBigInt=null,this._eBigInt=null,this._dBigInt=null,
this._extractable=!1}get algorithm(){return{name:"RSA-PKCS1-v1_5"}}_base64urlDecode(i){return i=i.replace(/-/g,"+").replace(/_/g,"/"),i=i.padEnd(Math.ceil(i.length/
4)*4,"="),Ue.decode(i)}_padArray(i,e){let s=new Uint8Array(e);return s.set(i,e-i.length),s}static async generateKey(i,e,s){let r=new t;return await r._generateKey(
i,e),{privateKey:r}}async _generateKey(i,e){this._keyLength=i.modulusLength,this._keyBytes=Math.ceil(this._keyLength/8);let s=await window.crypto.subtle.generateKey(
{name:"RSA-OAEP",modulusLength:i.modulusLength,publicExponent:i.publicExponent,hash:{name:"SHA-256"}},!0,["encrypt","decrypt"]),r=await window.crypto.subtle.exportKey(
"jwk",s.privateKey);this._n=this._padArray(this._base64urlDecode(r.n),this._keyBytes),this._nBigInt=ne(this._n),this._e=this._padArray(this._base64urlDecode(r.e),
this._keyBytes),this._eBigInt=ne(this._e),this._d=this._padArray(this._base64urlDecode(r.d),this._keyBytes),this._dBigInt=ne(this._d),this._extractable=e}static async importKey(i,e,s,r){
if(r.length!==1||r[0]!=="encrypt")throw new Error("only support importing RSA public key");let n=new t;return await n._importKey(i,s),n}async _importKey(i,e){let s=i.
n,r=i.e;if(s.length!==r.length)throw new Error("the sizes of modulus and public exponent do not match");this._keyBytes=s.length,this._keyLength=this._keyBytes*8,
this._n=new Uint8Array(this._keyBytes),this._e=new Uint8Array(this._keyBytes),this._n.set(s),this._e.set(r),this._nBigInt=ne(this._n),this._eBigInt=ne(this._e),
this._extractable=e}async encrypt(i,e){if(e.length>this._keyBytes-11)return null;let s=new Uint8Array(this._keyBytes-e.length-3);window.crypto.getRandomValues(s);
for(let h=0;h<s.length;h++)s[h]=Math.floor(s[h]*254/255+1);let r=new Uint8Array(this._keyBytes);r[1]=2,r.set(s,2),r.set(e,s.length+3);let n=ne(r),a=it(n,this._eBigInt,
this._nBigInt);return st(a,this._keyBytes)}async decrypt(i,e){if(e.length!==this._keyBytes)return null;let s=ne(e),r=it(s,this._dBigInt,this._nBigInt),n=st(r,this.
_keyBytes);if(n[0]!==0||n[1]!==2)return null;let a=2;for(;a<n.length&&n[a]!==0;a++);return a===n.length?null:n.slice(a+1,n.length)}async exportKey(){if(!this._extractable)
throw new Error("key is not extractable");return{n:this._n,e:this._e,d:this._d}}};var qi=class{constructor(i){this._key=i}get algorithm(){return{name:"DH"}}exportKey(){return this._key}},hi=class t{constructor(){this._g=null,this._p=null,this.
_gBigInt=null,this._pBigInt=null,this._privateKey=null}get algorithm(){return{name:"DH"}}static generateKey(i,e){let s=new t;return s._generateKey(i),{privateKey:s,
publicKey:new qi(s._publicKey)}}_generateKey(i){let e=i.g,s=i.p;this._keyBytes=s.length,this._gBigInt=ne(e),this._pBigInt=ne(s),this._privateKey=window.crypto.getRandomValues(
new Uint8Array(this._keyBytes)),this._privateKeyBigInt=ne(this._privateKey),this._publicKey=st(it(this._gBigInt,this._privateKeyBigInt,this._pBigInt),this._keyBytes)}deriveBits(i,e){
let s=Math.ceil(e/8),r=new Uint8Array(i.public),n=s>this._keyBytes?s:this._keyBytes,a=it(ne(r),this._privateKeyBigInt,this._pBigInt);return st(a,n).slice(0,n)}};async function Ur(t){let i="";for(let e=0;e<t.length;e++)i+=String.fromCharCode(t[e]);return Ka(Fa(Sa(ka(i),8*i.length)))}function Ka(t){let i=new Uint8Array(t.
length);for(let e=0;e<t.length;e++)i[e]=t.charCodeAt(e);return i}function ka(t){let i=Array(t.length>>2);for(let e=0;e<i.length;e++)i[e]=0;for(let e=0;e<8*t.length;e+=
8)i[e>>5]|=(255&t.charCodeAt(e/8))<<e%32;return i}function Fa(t){let i="";for(let e=0;e<32*t.length;e+=8)i+=String.fromCharCode(t[e>>5]>>>e%32&255);return i}function Sa(t,i){
t[i>>5]|=128<<i%32,t[14+(i+64>>>9<<4)]=i;let e=1732584193,s=-271733879,r=-1732584194,n=271733878;for(let a=0;a<t.length;a+=16){let h=e,c=s,o=r,l=n;s=ee(s=ee(s=ee(
s=ee(s=$(s=$(s=$(s=$(s=J(s=J(s=J(s=J(s=q(s=q(s=q(s=q(s,r=q(r,n=q(n,e=q(e,s,r,n,t[a+0],7,-680876936),s,r,t[a+1],12,-389564586),e,s,t[a+2],17,606105819),n,e,t[a+3],
22,-1044525330),r=q(r,n=q(n,e=q(e,s,r,n,t[a+4],7,-176418897),s,r,t[a+5],12,1200080426),e,s,t[a+6],17,-1473231341),n,e,t[a+7],22,-45705983),r=q(r,n=q(n,e=q(e,s,r,
n,t[a+8],7,1770035416),s,r,t[a+9],12,-1958414417),e,s,t[a+10],17,-42063),n,e,t[a+11],22,-1990404162),r=q(r,n=q(n,e=q(e,s,r,n,t[a+12],7,1804603682),s,r,t[a+13],12,
-40341101),e,s,t[a+14],17,-1502002290),n,e,t[a+15],22,1236535329),r=J(r,n=J(n,e=J(e,s,r,n,t[a+1],5,-165796510),s,r,t[a+6],9,-1069501632),e,s,t[a+11],14,643717713),
n,e,t[a+0],20,-373897302),r=J(r,n=J(n,e=J(e,s,r,n,t[a+5],5,-701558691),s,r,t[a+10],9,38016083),e,s,t[a+15],14,-660478335),n,e,t[a+4],20,-405537848),r=J(r,n=J(n,
e=J(e,s,r,n,t[a+9],5,568446438),s,r,t[a+14],9,-1019803690),e,s,t[a+3],14,-187363961),n,e,t[a+8],20,1163531501),r=J(r,n=J(n,e=J(e,s,r,n,t[a+13],5,-1444681467),s,
r,t[a+2],9,-51403784),e,s,t[a+7],14,1735328473),n,e,t[a+12],20,-1926607734),r=$(r,n=$(n,e=$(e,s,r,n,t[a+5],4,-378558),s,r,t[a+8],11,-2022574463),e,s,t[a+11],16,
1839030562),n,e,t[a+14],23,-35309556),r=$(r,n=$(n,e=$(e,s,r,n,t[a+1],4,-1530992060),s,r,t[a+4],11,1272893353),e,s,t[a+7],16,-155497632),n,e,t[a+10],23,-1094730640),
r=$(r,n=$(n,e=$(e,s,r,n,t[a+13],4,681279174),s,r,t[a+0],11,-358537222),e,s,t[a+3],16,-722521979),n,e,t[a+6],23,76029189),r=$(r,n=$(n,e=$(e,s,r,n,t[a+9],4,-640364487),
s,r,t[a+12],11,-421815835),e,s,t[a+15],16,530742520),n,e,t[a+2],23,-995338651),r=ee(r,n=ee(n,e=ee(e,s,r,n,t[a+0],6,-198630844),s,r,t[a+7],10,1126891415),e,s,t[a+
14],15,-1416354905),n,e,t[a+5],21,-57434055),r=ee(r,n=ee(n,e=ee(e,s,r,n,t[a+12],6,1700485571),s,r,t[a+3],10,-1894986606),e,s,t[a+10],15,-1051523),n,e,t[a+1],21,
-2054922799),r=ee(r,n=ee(n,e=ee(e,s,r,n,t[a+8],6,1873313359),s,r,t[a+15],10,-30611744),e,s,t[a+6],15,-1560198380),n,e,t[a+13],21,1309151649),r=ee(r,n=ee(n,e=ee(
e,s,r,n,t[a+4],6,-145523070),s,r,t[a+11],10,-1120210379),e,s,t[a+2],15,718787259),n,e,t[a+9],21,-343485551),e=ke(e,h),s=ke(s,c),r=ke(r,o),n=ke(n,l)}return Array(
e,s,r,n)}function li(t,i,e,s,r,n){return ke(Ea(ke(ke(i,t),ke(s,n)),r),e)}function q(t,i,e,s,r,n,a){return li(i&e|~i&s,t,i,r,n,a)}function J(t,i,e,s,r,n,a){return li(
i&s|e&~s,t,i,r,n,a)}function $(t,i,e,s,r,n,a){return li(i^e^s,t,i,r,n,a)}function ee(t,i,e,s,r,n,a){return li(e^(i|~s),t,i,r,n,a)}function ke(t,i){let e=(65535&
t)+(65535&i);return(t>>16)+(i>>16)+(e>>16)<<16|65535&e}function Ea(t,i){return t<<i|t>>>32-i}var Ji=class{constructor(){this._algorithms={"AES-ECB":ii,"AES-EAX":si,"DES-ECB":ni,"DES-CBC":ai,"RSA-PKCS1-v1_5":oi,DH:hi,MD5:Ur}}encrypt(i,e,s){if(e.algorithm.
name!==i.name)throw new Error("algorithm does not match");if(typeof e.encrypt!="function")throw new Error("key does not support encryption");return e.encrypt(i,
s)}decrypt(i,e,s){if(e.algorithm.name!==i.name)throw new Error("algorithm does not match");if(typeof e.decrypt!="function")throw new Error("key does not support\
 encryption");return e.decrypt(i,s)}importKey(i,e,s,r,n){if(i!=="raw")throw new Error("key format is not supported");let a=this._algorithms[s.name];if(typeof a>
"u"||typeof a.importKey!="function")throw new Error("algorithm is not supported");return a.importKey(e,s,r,n)}generateKey(i,e,s){let r=this._algorithms[i.name];
if(typeof r>"u"||typeof r.generateKey!="function")throw new Error("algorithm is not supported");return r.generateKey(i,e,s)}exportKey(i,e){if(i!=="raw")throw new Error(
"key format is not supported");if(typeof e.exportKey!="function")throw new Error("key does not support exportKey");return e.exportKey()}digest(i,e){let s=this._algorithms[i];
if(typeof s!="function")throw new Error("algorithm is not supported");return s(e)}deriveBits(i,e,s){if(e.algorithm.name!==i.name)throw new Error("algorithm does\
 not match");if(typeof e.deriveBits!="function")throw new Error("key does not support deriveBits");return e.deriveBits(i,s)}},O=new Ji;var ci=class{constructor(){this._cipher=null,this._counter=new Uint8Array(16)}async setKey(i){this._cipher=await O.importKey("raw",i,{name:"AES-EAX"},!1,["encry\
pt, decrypt"])}async makeMessage(i){let e=new Uint8Array([(i.length&65280)>>>8,i.length&255]),s=await O.encrypt({name:"AES-EAX",iv:this._counter,additionalData:e},
this._cipher,i);for(let n=0;n<16&&this._counter[n]++===255;n++);let r=new Uint8Array(i.length+2+16);return r.set(e),r.set(s,2),r}async receiveMessage(i,e){let s=new Uint8Array(
[(i&65280)>>>8,i&255]),r=await O.decrypt({name:"AES-EAX",iv:this._counter,additionalData:s},this._cipher,e);for(let n=0;n<16&&this._counter[n]++===255;n++);return r}},
Ft=class extends Ce{constructor(i,e){super(),this._hasStarted=!1,this._checkSock=null,this._checkCredentials=null,this._approveServerResolve=null,this._sockReject=
null,this._credentialsReject=null,this._approveServerReject=null,this._sock=i,this._getCredentials=e}_waitSockAsync(i){return new Promise((e,s)=>{let r=()=>!this.
_sock.rQwait("RA2",i);r()?e():(this._checkSock=()=>{r()&&(e(),this._checkSock=null,this._sockReject=null)},this._sockReject=s)})}_waitApproveKeyAsync(){return new Promise(
(i,e)=>{this._approveServerResolve=i,this._approveServerReject=e})}_waitCredentialsAsync(i){let e=()=>i===1&&this._getCredentials().username!==void 0&&this._getCredentials().
password!==void 0?!0:i===2&&this._getCredentials().password!==void 0;return new Promise((s,r)=>{e()?s():(this._checkCredentials=()=>{e()&&(s(),this._checkCredentials=
null,this._credentialsReject=null)},this._credentialsReject=r)})}checkInternalEvents(){this._checkSock!==null&&this._checkSock(),this._checkCredentials!==null&&
this._checkCredentials()}approveServer(){this._approveServerResolve!==null&&(this._approveServerResolve(),this._approveServerResolve=null)}disconnect(){this._sockReject!==
null&&(this._sockReject(new Error("disconnect normally")),this._sockReject=null),this._credentialsReject!==null&&(this._credentialsReject(new Error("disconnect \
normally")),this._credentialsReject=null),this._approveServerReject!==null&&(this._approveServerReject(new Error("disconnect normally")),this._approveServerReject=
null)}async negotiateRA2neAuthAsync(){this._hasStarted=!0,await this._waitSockAsync(4);let i=this._sock.rQpeekBytes(4),e=this._sock.rQshift32();if(e<1024)throw new Error(
"RA2: server public key is too short: "+e);if(e>8192)throw new Error("RA2: server public key is too long: "+e);let s=Math.ceil(e/8);await this._waitSockAsync(s*
2);let r=this._sock.rQshiftBytes(s),n=this._sock.rQshiftBytes(s),a=await O.importKey("raw",{n:r,e:n},{name:"RSA-PKCS1-v1_5"},!1,["encrypt"]),h=new Uint8Array(4+
s*2);h.set(i),h.set(r,4),h.set(n,4+s);let c=this._waitApproveKeyAsync();this.dispatchEvent(new CustomEvent("serververification",{detail:{type:"RSA",publickey:h}})),
await c;let o=2048,l=Math.ceil(o/8),u=(await O.generateKey({name:"RSA-PKCS1-v1_5",modulusLength:o,publicExponent:new Uint8Array([1,0,1])},!0,["encrypt"])).privateKey,
d=await O.exportKey("raw",u),x=d.n,X=d.e,k=new Uint8Array(4+l*2);k[0]=(o&4278190080)>>>24,k[1]=(o&16711680)>>>16,k[2]=(o&65280)>>>8,k[3]=o&255,k.set(x,4),k.set(
X,4+l),this._sock.sQpushBytes(k),this._sock.flush();let A=new Uint8Array(16);window.crypto.getRandomValues(A);let F=await O.encrypt({name:"RSA-PKCS1-v1_5"},a,A),
T=new Uint8Array(2+s);if(T[0]=(s&65280)>>>8,T[1]=s&255,T.set(F,2),this._sock.sQpushBytes(T),this._sock.flush(),await this._waitSockAsync(2),this._sock.rQshift16()!==
l)throw new Error("RA2: wrong encrypted message length");let E=this._sock.rQshiftBytes(l),K=await O.decrypt({name:"RSA-PKCS1-v1_5"},u,E);if(K===null||K.length!==
16)throw new Error("RA2: corrupted server encrypted random");let C=new Uint8Array(32),I=new Uint8Array(32);C.set(K),C.set(A,16),I.set(A),I.set(K,16),C=await window.
crypto.subtle.digest("SHA-1",C),C=new Uint8Array(C).slice(0,16),I=await window.crypto.subtle.digest("SHA-1",I),I=new Uint8Array(I).slice(0,16);let S=new ci;await S.
setKey(C);let D=new ci;await D.setKey(I);let B=new Uint8Array(8+s*2+l*2),M=new Uint8Array(8+s*2+l*2);if(B.set(h),B.set(k,4+s*2),M.set(k),M.set(h,4+l*2),B=await window.
crypto.subtle.digest("SHA-1",B),M=await window.crypto.subtle.digest("SHA-1",M),B=new Uint8Array(B),M=new Uint8Array(M),this._sock.sQpushBytes(await S.makeMessage(
M)),this._sock.flush(),await this._waitSockAsync(38),this._sock.rQshift16()!==20)throw new Error("RA2: wrong server hash");let z=await D.receiveMessage(20,this.
_sock.rQshiftBytes(36));if(z===null)throw new Error("RA2: failed to authenticate the message");for(let W=0;W<20;W++)if(z[W]!==B[W])throw new Error("RA2: wrong s\
erver hash");if(await this._waitSockAsync(19),this._sock.rQshift16()!==1)throw new Error("RA2: wrong subtype");let te=await D.receiveMessage(1,this._sock.rQshiftBytes(
17));if(te===null)throw new Error("RA2: failed to authenticate the message");te=te[0];let He=this._waitCredentialsAsync(te);if(te===1)(this._getCredentials().username===
void 0||this._getCredentials().password===void 0)&&this.dispatchEvent(new CustomEvent("credentialsrequired",{detail:{types:["username","password"]}}));else if(te===
2)this._getCredentials().password===void 0&&this.dispatchEvent(new CustomEvent("credentialsrequired",{detail:{types:["password"]}}));else throw new Error("RA2: \
wrong subtype");await He;let he;te===1?he=le(this._getCredentials().username).slice(0,255):he="";let Se=le(this._getCredentials().password).slice(0,255),ue=new Uint8Array(
he.length+Se.length+2);ue[0]=he.length,ue[he.length+1]=Se.length;for(let W=0;W<he.length;W++)ue[W+1]=he.charCodeAt(W);for(let W=0;W<Se.length;W++)ue[he.length+2+
W]=Se.charCodeAt(W);this._sock.sQpushBytes(await S.makeMessage(ue)),this._sock.flush()}get hasStarted(){return this._hasStarted}set hasStarted(i){this._hasStarted=
i}};var St=class{constructor(){this._lines=0}decodeRect(i,e,s,r,n,a,h){if(s===0||r===0)return!0;this._lines===0&&(this._lines=r);let c=h==8?1:4,o=s*c;for(;this._lines>
0;){if(n.rQwait("RAW",o))return!1;let l=e+(r-this._lines),u=n.rQshiftBytes(o,!1);if(h==8){let d=new Uint8Array(s*4);for(let x=0;x<s;x++)d[x*4+0]=(u[x]>>0&3)*255/
3,d[x*4+1]=(u[x]>>2&3)*255/3,d[x*4+2]=(u[x]>>4&3)*255/3,d[x*4+3]=255;u=d}for(let d=0;d<s;d++)u[d*4+3]=255;a.blitImage(i,l,s,1,u,0),this._lines--}return!0}};var Et=class{decodeRect(i,e,s,r,n,a,h){if(n.rQwait("COPYRECT",4))return!1;let c=n.rQshift16(),o=n.rQshift16();return s===0||r===0||a.copyImage(c,o,i,e,s,r),!0}};var At=class{constructor(){this._subrects=0}decodeRect(i,e,s,r,n,a,h){if(this._subrects===0){if(n.rQwait("RRE",8))return!1;this._subrects=n.rQshift32();let c=n.
rQshiftBytes(4);a.fillRect(i,e,s,r,c)}for(;this._subrects>0;){if(n.rQwait("RRE",12))return!1;let c=n.rQshiftBytes(4),o=n.rQshift16(),l=n.rQshift16(),u=n.rQshift16(),
d=n.rQshift16();a.fillRect(i+o,e+l,u,d,c),this._subrects--}return!0}};var Ct=class{constructor(){this._tiles=0,this._lastsubencoding=0,this._tileBuffer=new Uint8Array(256*4)}decodeRect(i,e,s,r,n,a,h){for(this._tiles===0&&(this._tilesX=
Math.ceil(s/16),this._tilesY=Math.ceil(r/16),this._totalTiles=this._tilesX*this._tilesY,this._tiles=this._totalTiles);this._tiles>0;){let c=1;if(n.rQwait("HEXTI\
LE",c))return!1;let o=n.rQpeek8();if(o>30)throw new Error("Illegal hextile subencoding (subencoding: "+o+")");let l=this._totalTiles-this._tiles,u=l%this._tilesX,
d=Math.floor(l/this._tilesX),x=i+u*16,X=e+d*16,k=Math.min(16,i+s-x),A=Math.min(16,e+r-X);if(o&1)c+=k*A*4;else if(o&2&&(c+=4),o&4&&(c+=4),o&8){if(c++,n.rQwait("H\
EXTILE",c))return!1;let F=n.rQpeekBytes(c).at(-1);o&16?c+=F*6:c+=F*2}if(n.rQwait("HEXTILE",c))return!1;if(n.rQshift8(),o===0)this._lastsubencoding&1?L("     Ign\
oring blank after RAW"):a.fillRect(x,X,k,A,this._background);else if(o&1){let F=k*A,T=n.rQshiftBytes(F*4,!1);for(let E=0;E<F;E++)T[E*4+3]=255;a.blitImage(x,X,k,
A,T,0)}else{if(o&2&&(this._background=new Uint8Array(n.rQshiftBytes(4))),o&4&&(this._foreground=new Uint8Array(n.rQshiftBytes(4))),this._startTile(x,X,k,A,this.
_background),o&8){let F=n.rQshift8();for(let T=0;T<F;T++){let E;o&16?E=n.rQshiftBytes(4):E=this._foreground;let K=n.rQshift8(),C=K>>4,I=K&15,S=n.rQshift8(),D=(S>>
4)+1,B=(S&15)+1;this._subTile(C,I,D,B,E)}}this._finishTile(a)}this._lastsubencoding=o,this._tiles--}return!0}_startTile(i,e,s,r,n){this._tileX=i,this._tileY=e,this.
_tileW=s,this._tileH=r;let a=n[0],h=n[1],c=n[2],o=this._tileBuffer;for(let l=0;l<s*r*4;l+=4)o[l]=a,o[l+1]=h,o[l+2]=c,o[l+3]=255}_subTile(i,e,s,r,n){let a=n[0],h=n[1],
c=n[2],o=i+s,l=e+r,u=this._tileBuffer,d=this._tileW;for(let x=e;x<l;x++)for(let X=i;X<o;X++){let k=(X+x*d)*4;u[k]=a,u[k+1]=h,u[k+2]=c,u[k+3]=255}}_finishTile(i){
i.blitImage(this._tileX,this._tileY,this._tileW,this._tileH,this._tileBuffer,0)}};var Lt=class{constructor(){this._zlib=new ce,this._length=0}decodeRect(i,e,s,r,n,a,h){if(s===0||r===0)return!0;if(this._length===0){if(n.rQwait("ZLIB",4))return!1;
this._length=n.rQshift32()}if(n.rQwait("ZLIB",this._length))return!1;let c=new Uint8Array(n.rQshiftBytes(this._length,!1));this._length=0,this._zlib.setInput(c),
c=this._zlib.inflate(s*r*4),this._zlib.setInput(null);for(let o=0;o<s*r;o++)c[o*4+3]=255;return a.blitImage(i,e,s,r,c,0),!0}};var Pe=class{constructor(){this._ctl=null,this._filter=null,this._numColors=0,this._palette=new Uint8Array(1024),this._len=0,this._zlibs=[];for(let i=0;i<4;i++)
this._zlibs[i]=new ce}decodeRect(i,e,s,r,n,a,h){if(this._ctl===null){if(n.rQwait("TIGHT compression-control",1))return!1;this._ctl=n.rQshift8();for(let o=0;o<4;o++)
this._ctl>>o&1&&(this._zlibs[o].reset(),V("Reset zlib stream "+o));this._ctl=this._ctl>>4}let c;if(this._ctl===8)c=this._fillRect(i,e,s,r,n,a,h);else if(this._ctl===
9)c=this._jpegRect(i,e,s,r,n,a,h);else if(this._ctl===10)c=this._pngRect(i,e,s,r,n,a,h);else if((this._ctl&8)==0)c=this._basicRect(this._ctl,i,e,s,r,n,a,h);else
throw new Error("Illegal tight compression received (ctl: "+this._ctl+")");return c&&(this._ctl=null),c}_fillRect(i,e,s,r,n,a,h){if(n.rQwait("TIGHT",3))return!1;
let c=n.rQshiftBytes(3);return a.fillRect(i,e,s,r,c,!1),!0}_jpegRect(i,e,s,r,n,a,h){let c=this._readData(n);return c===null?!1:(a.imageRect(i,e,s,r,"image/jpeg",
c),!0)}_pngRect(i,e,s,r,n,a,h){throw new Error("PNG received in standard Tight rect")}_basicRect(i,e,s,r,n,a,h,c){if(this._filter===null)if(i&4){if(a.rQwait("TI\
GHT",1))return!1;this._filter=a.rQshift8()}else this._filter=0;let o=i&3,l;switch(this._filter){case 0:l=this._copyFilter(o,e,s,r,n,a,h,c);break;case 1:l=this._paletteFilter(
o,e,s,r,n,a,h,c);break;case 2:l=this._gradientFilter(o,e,s,r,n,a,h,c);break;default:throw new Error("Illegal tight filter received (ctl: "+this._filter+")")}return l&&
(this._filter=null),l}_copyFilter(i,e,s,r,n,a,h,c){let o=r*n*3,l;if(o===0)return!0;if(o<12){if(a.rQwait("TIGHT",o))return!1;l=a.rQshiftBytes(o)}else{if(l=this._readData(
a),l===null)return!1;this._zlibs[i].setInput(l),l=this._zlibs[i].inflate(o),this._zlibs[i].setInput(null)}let u=new Uint8Array(r*n*4);for(let d=0,x=0;d<r*n*4;d+=
4,x+=3)u[d]=l[x],u[d+1]=l[x+1],u[d+2]=l[x+2],u[d+3]=255;return h.blitImage(e,s,r,n,u,0,!1),!0}_paletteFilter(i,e,s,r,n,a,h,c){if(this._numColors===0){if(a.rQwait(
"TIGHT palette",1))return!1;let x=a.rQpeek8()+1,X=x*3;if(a.rQwait("TIGHT palette",1+X))return!1;this._numColors=x,a.rQskipBytes(1),a.rQshiftTo(this._palette,X)}
let o=this._numColors<=2?1:8,u=Math.floor((r*o+7)/8)*n,d;if(u===0)return!0;if(u<12){if(a.rQwait("TIGHT",u))return!1;d=a.rQshiftBytes(u)}else{if(d=this._readData(
a),d===null)return!1;this._zlibs[i].setInput(d),d=this._zlibs[i].inflate(u),this._zlibs[i].setInput(null)}return this._numColors==2?this._monoRect(e,s,r,n,d,this.
_palette,h):this._paletteRect(e,s,r,n,d,this._palette,h),this._numColors=0,!0}_monoRect(i,e,s,r,n,a,h){let c=this._getScratchBuffer(s*r*4),o=Math.floor((s+7)/8),
l=Math.floor(s/8);for(let u=0;u<r;u++){let d,x,X;for(X=0;X<l;X++)for(let k=7;k>=0;k--)d=(u*s+X*8+7-k)*4,x=(n[u*o+X]>>k&1)*3,c[d]=a[x],c[d+1]=a[x+1],c[d+2]=a[x+2],
c[d+3]=255;for(let k=7;k>=8-s%8;k--)d=(u*s+X*8+7-k)*4,x=(n[u*o+X]>>k&1)*3,c[d]=a[x],c[d+1]=a[x+1],c[d+2]=a[x+2],c[d+3]=255}h.blitImage(i,e,s,r,c,0,!1)}_paletteRect(i,e,s,r,n,a,h){
let c=this._getScratchBuffer(s*r*4),o=s*r*4;for(let l=0,u=0;l<o;l+=4,u++){let d=n[u]*3;c[l]=a[d],c[l+1]=a[d+1],c[l+2]=a[d+2],c[l+3]=255}h.blitImage(i,e,s,r,c,0,
!1)}_gradientFilter(i,e,s,r,n,a,h,c){let o=r*n*3,l;if(o===0)return!0;if(o<12){if(a.rQwait("TIGHT",o))return!1;l=a.rQshiftBytes(o)}else{if(l=this._readData(a),l===
null)return!1;this._zlibs[i].setInput(l),l=this._zlibs[i].inflate(o),this._zlibs[i].setInput(null)}let u=new Uint8Array(4*r*n),d=0,x=0,X=new Uint8Array(3);for(let T=0;T<
r;T++){for(let E=0;E<3;E++){let K=X[E],C=l[x++]+K;u[d++]=C,X[E]=C}u[d++]=255}let k=0,A=new Uint8Array(3),F=new Uint8Array(3);for(let T=1;T<n;T++){X.fill(0),F.fill(
0);for(let E=0;E<r;E++){for(let K=0;K<3;K++){A[K]=u[k++];let C=X[K]+A[K]-F[K];C<0?C=0:C>255&&(C=255);let I=l[x++]+C;u[d++]=I,F[K]=A[K],X[K]=I}u[d++]=255,k++}}return h.
blitImage(e,s,r,n,u,0,!1),!0}_readData(i){if(this._len===0){if(i.rQwait("TIGHT",3))return null;let s;s=i.rQshift8(),this._len=s&127,s&128&&(s=i.rQshift8(),this.
_len|=(s&127)<<7,s&128&&(s=i.rQshift8(),this._len|=s<<14))}if(i.rQwait("TIGHT",this._len))return null;let e=i.rQshiftBytes(this._len,!1);return this._len=0,e}_getScratchBuffer(i){
return(!this._scratchBuffer||this._scratchBuffer.length<i)&&(this._scratchBuffer=new Uint8Array(i)),this._scratchBuffer}};var Tt=class extends Pe{_pngRect(i,e,s,r,n,a,h){let c=this._readData(n);return c===null?!1:(a.imageRect(i,e,s,r,"image/png",c),!0)}_basicRect(i,e,s,r,n,a,h,c){throw new Error(
"BasicCompression received in TightPNG rect")}};var _i=64,fi=64,Mt=class{constructor(){this._length=0,this._inflator=new ce,this._pixelBuffer=new Uint8Array(_i*fi*4),this._tileBuffer=new Uint8Array(_i*fi*4)}decodeRect(i,e,s,r,n,a,h){
if(this._length===0){if(n.rQwait("ZLib data length",4))return!1;this._length=n.rQshift32()}if(n.rQwait("Zlib data",this._length))return!1;let c=n.rQshiftBytes(this.
_length,!1);this._inflator.setInput(c);for(let o=e;o<e+r;o+=fi){let l=Math.min(fi,e+r-o);for(let u=i;u<i+s;u+=_i){let d=Math.min(_i,i+s-u),x=d*l,X=this._inflator.
inflate(1)[0];if(X===0){let k=this._readPixels(x);a.blitImage(u,o,d,l,k,0,!1)}else if(X===1){let k=this._readPixels(1);a.fillRect(u,o,d,l,[k[0],k[1],k[2]])}else if(X>=
2&&X<=16){let k=this._decodePaletteTile(X,x,d,l);a.blitImage(u,o,d,l,k,0,!1)}else if(X===128){let k=this._decodeRLETile(x);a.blitImage(u,o,d,l,k,0,!1)}else if(X>=
130&&X<=255){let k=this._decodeRLEPaletteTile(X-128,x);a.blitImage(u,o,d,l,k,0,!1)}else throw new Error("Unknown subencoding: "+X)}}return this._length=0,!0}_getBitsPerPixelInPalette(i){
if(i<=2)return 1;if(i<=4)return 2;if(i<=16)return 4}_readPixels(i){let e=this._pixelBuffer,s=this._inflator.inflate(3*i);for(let r=0,n=0;r<i*4;r+=4,n+=3)e[r]=s[n],
e[r+1]=s[n+1],e[r+2]=s[n+2],e[r+3]=255;return e}_decodePaletteTile(i,e,s,r){let n=this._tileBuffer,a=this._readPixels(i),h=this._getBitsPerPixelInPalette(i),c=(1<<
h)-1,o=0,l=this._inflator.inflate(1)[0];for(let u=0;u<r;u++){let d=8-h;for(let x=0;x<s;x++){d<0&&(d=8-h,l=this._inflator.inflate(1)[0]);let X=l>>d&c;n[o]=a[X*4],
n[o+1]=a[X*4+1],n[o+2]=a[X*4+2],n[o+3]=a[X*4+3],o+=4,d-=h}d<8-h&&u<r-1&&(l=this._inflator.inflate(1)[0])}return n}_decodeRLETile(i){let e=this._tileBuffer,s=0;for(;s<
i;){let r=this._readPixels(1),n=this._readRLELength();for(let a=0;a<n;a++)e[s*4]=r[0],e[s*4+1]=r[1],e[s*4+2]=r[2],e[s*4+3]=r[3],s++}return e}_decodeRLEPaletteTile(i,e){
let s=this._tileBuffer,r=this._readPixels(i),n=0;for(;n<e;){let a=this._inflator.inflate(1)[0],h=1;if(a>=128&&(a-=128,h=this._readRLELength()),a>i)throw new Error(
"Too big index in palette: "+a+", palette size: "+i);if(n+h>e)throw new Error("Too big rle length in palette mode: "+h+", allowed length is: "+(e-n));for(let c=0;c<
h;c++)s[n*4]=r[a*4],s[n*4+1]=r[a*4+1],s[n*4+2]=r[a*4+2],s[n*4+3]=r[a*4+3],n++}return s}_readRLELength(){let i=0,e=0;do e=this._inflator.inflate(1)[0],i+=e;while(e===
255);return i+1}};var Rt=class{constructor(){this._cachedQuantTables=[],this._cachedHuffmanTables=[],this._segments=[]}decodeRect(i,e,s,r,n,a,h){for(;;){let x=this._readSegment(n);
if(x===null)return!1;if(this._segments.push(x),x[1]===217)break}let c=[],o=[];for(let x of this._segments){let X=x[1];X===196?c.push(x):X===219&&o.push(x)}let l=this.
_segments.findIndex(x=>x[1]==192||x[1]==194);if(l==-1)throw new Error("Illegal JPEG image without SOF");o.length===0&&this._segments.splice(l+1,0,...this._cachedQuantTables),
c.length===0&&this._segments.splice(l+1,0,...this._cachedHuffmanTables);let u=0;for(let x of this._segments)u+=x.length;let d=new Uint8Array(u);u=0;for(let x of this.
_segments)d.set(x,u),u+=x.length;return a.imageRect(i,e,s,r,"image/jpeg",d),c.length!==0&&(this._cachedHuffmanTables=c),o.length!==0&&(this._cachedQuantTables=o),
this._segments=[],!0}_readSegment(i){if(i.rQwait("JPEG",2))return null;let e=i.rQshift8();if(e!=255)throw new Error("Illegal JPEG marker received (byte: "+e+")");
let s=i.rQshift8();if(s>=208&&s<=217||s==1)return new Uint8Array([e,s]);if(i.rQwait("JPEG",2,2))return null;let r=i.rQshift16();if(r<2)throw new Error("Illegal \
JPEG length received (length: "+r+")");if(i.rQwait("JPEG",r-2,4))return null;let n=0;if(s===218){if(i.rQwait("JPEG",r-2+2,4))return null;let h=i.rQlen(),c=i.rQpeekBytes(
h,!1);for(;;){let o=c.indexOf(255,r-2+n);if(o===-1||o===h-1)return i.rQwait("JPEG",1/0,4),null;if(c.at(o+1)===0||c.at(o+1)>=208&&c.at(o+1)<=215){n=o+2-(r-2);continue}
n=o-(r-2);break}}let a=new Uint8Array(2+r+n);return a[0]=e,a[1]=s,a[2]=r>>8,a[3]=r,a.set(i.rQshiftBytes(r-2+n,!1),4),a}};var $i=class{constructor(i){this._data=i,this._index=0,this.profileIdc=null,this.constraintSet=null,this.levelIdc=null}_getStartSequenceLen(i){let e=this._data;
return e[i+0]==0&&e[i+1]==0&&e[i+2]==0&&e[i+3]==1?4:e[i+0]==0&&e[i+1]==0&&e[i+2]==1?3:0}_indexOfNextNalUnit(i){let e=this._data;for(let s=i;s<e.length;++s)if(this.
_getStartSequenceLen(s)!=0)return s;return-1}_parseSps(i){this.profileIdc=this._data[i],this.constraintSet=this._data[i+1],this.levelIdc=this._data[i+2]}_parseNalUnit(i){
let e=this._data[i];if(e&128)throw new Error("H264 parsing sanity check failed, forbidden zero bit is set");let s=e&31;switch(s){case 1:return{slice:!0};case 5:
return{slice:!0,key:!0};case 6:return{};case 7:return this._parseSps(i+1),{};case 8:return{};default:Z("Unhandled unit type: ",s);break}return{}}parse(){let i=this.
_index,e=!1;for(;this._index<this._data.length;){let s=this._getStartSequenceLen(this._index);if(s==0)throw new Error("Invalid start sequence in bit stream");let{
slice:r,key:n}=this._parseNalUnit(this._index+s),a=this._indexOfNextNalUnit(this._index+s);if(a==-1?this._index=this._data.length:this._index=a,n&&(e=!0),r)break}
return i===this._index?null:{frame:this._data.subarray(i,this._index),key:e}}},es=class{constructor(i,e){this.lastUsed=0,this._width=i,this._height=e,this._profileIdc=
null,this._constraintSet=null,this._levelIdc=null,this._decoder=null,this._pendingFrames=[]}_handleFrame(i){let e=this._pendingFrames.shift();if(e===void 0)throw new Error(
"Pending frame queue empty when receiving frame from decoder");if(e.timestamp!=i.timestamp)throw new Error("Video frame timestamp mismatch. Expected "+i.timestamp+
" but but got "+e.timestamp);e.frame=i,e.ready=!0,e.resolve(),e.keep||i.close()}_handleError(i){throw new Error("Failed to decode frame: "+i.message)}_configureDecoder(i,e,s){
(this._decoder===null||this._decoder.state==="closed")&&(this._decoder=new VideoDecoder({output:n=>this._handleFrame(n),error:n=>this._handleError(n)}));let r="\
avc1."+i.toString(16).padStart(2,"0")+e.toString(16).padStart(2,"0")+s.toString(16).padStart(2,"0");this._decoder.configure({codec:r,codedWidth:this._width,codedHeight:this.
_height,optimizeForLatency:!0})}_preparePendingFrame(i){let e={timestamp:i,promise:null,resolve:null,frame:null,ready:!1,keep:!1};return e.promise=new Promise(s=>{
e.resolve=s}),this._pendingFrames.push(e),e}decode(i){let e=new $i(i),s=null,r=Math.round(window.performance.now()*1e3);for(;;){let n=e.parse();if(n===null)break;
if(e.profileIdc!==null&&(self._profileIdc=e.profileIdc,self._constraintSet=e.constraintSet,self._levelIdc=e.levelIdc),this._decoder===null||this._decoder.state!==
"configured"){if(!n.key){Z("Missing key frame. Can't decode until one arrives");continue}if(self._profileIdc===null){Z("Cannot config decoder. Have not received\
 SPS and PPS yet.");continue}this._configureDecoder(self._profileIdc,self._constraintSet,self._levelIdc)}s=this._preparePendingFrame(r);let a=new EncodedVideoChunk(
{timestamp:r,type:n.key?"key":"delta",data:n.frame});try{this._decoder.decode(a)}catch(h){Z("Failed to decode:",h)}}return s!==null&&(s.keep=!0),s}},Bt=class{constructor(){
this._tick=0,this._contexts={}}_contextId(i,e,s,r){return[i,e,s,r].join(",")}_findOldestContextId(){let i=Number.MAX_VALUE,e;for(let[s,r]of Object.entries(this.
_contexts))r.lastUsed<i&&(i=r.lastUsed,e=s);return e}_createContext(i,e,s,r){if(Object.keys(this._contexts).length>=64){let h=this._findOldestContextId();delete this.
_contexts[h]}let a=new es(s,r);return this._contexts[this._contextId(i,e,s,r)]=a,a}_getContext(i,e,s,r){let n=this._contexts[this._contextId(i,e,s,r)];return n!==
void 0?n:this._createContext(i,e,s,r)}_resetContext(i,e,s,r){delete this._contexts[this._contextId(i,e,s,r)]}_resetAllContexts(){this._contexts={}}decodeRect(i,e,s,r,n,a,h){
if(n.rQwait("h264 header",8))return!1;let l=n.rQshift32(),u=n.rQshift32();if(n.rQwait("h264 payload",l,8))return!1;u&2?this._resetAllContexts():u&1&&this._resetContext(
i,e,s,r);let d=this._getContext(i,e,s,r);if(d.lastUsed=this._tick++,l!==0){let x=n.rQshiftBytes(l,!1),X=d.decode(x);X!==null&&a.videoFrame(i,e,s,r,X)}return!0}};var Aa=3,Ca="rgb(40, 40, 40)",Nr=17,Or=50,zr=19,Dt=75,Fe=50,La=1e3,Ta=50,Gr=1,ui=2,Vr=6,Wr=16,ts=19,Zr=22,Yr=30,jr=113,qr=129,Jr=256,pe=1;var $r=1<<24,di=1<<25,en=1<<26,Qt=1<<27,xi=1<<28,se=class t extends Ce{constructor(i,e,s){if(!i)throw new Error("Must specify target");if(!e)throw new Error("Mu\
st specify URL, WebSocket or RTCDataChannel");window.isSecureContext||U("noVNC requires a secure context (TLS). Expect crashes!"),super(),this._target=i,typeof e==
"string"?this._url=e:(this._url=null,this._rawChannel=e),s=s||{},this._rfbCredentials=s.credentials||{},this._shared="shared"in s?!!s.shared:!0,this._repeaterID=
s.repeaterID||"",this._wsProtocols=s.wsProtocols||[],this._rfbConnectionState="",this._rfbInitState="",this._rfbAuthScheme=-1,this._rfbCleanDisconnect=!0,this._rfbRSAAESAuthenticationState=
null,this._rfbVersion=0,this._rfbMaxVersion=3.8,this._rfbTightVNC=!1,this._rfbVeNCryptState=0,this._rfbXvpVer=0,this._fbWidth=0,this._fbHeight=0,this._fbName="",
this._capabilities={power:!1},this._supportsFence=!1,this._supportsContinuousUpdates=!1,this._enabledContinuousUpdates=!1,this._supportsSetDesktopSize=!1,this._screenID=
0,this._screenFlags=0,this._pendingRemoteResize=!1,this._lastResize=0,this._qemuExtKeyEventSupported=!1,this._extendedPointerEventSupported=!1,this._clipboardText=
null,this._clipboardServerCapabilitiesActions={},this._clipboardServerCapabilitiesFormats={},this._sock=null,this._display=null,this._flushing=!1,this._keyboard=
null,this._gestures=null,this._resizeObserver=null,this._disconnTimer=null,this._resizeTimeout=null,this._mouseMoveTimer=null,this._decoders={},this._FBU={rects:0,
x:0,y:0,width:0,height:0,encoding:null},this._mousePos={},this._mouseButtonMask=0,this._mouseLastMoveTime=0,this._viewportDragging=!1,this._viewportDragPos={},this.
_viewportHasMoved=!1,this._accumulatedWheelDeltaX=0,this._accumulatedWheelDeltaY=0,this._gestureLastTapTime=null,this._gestureFirstDoubleTapEv=null,this._gestureLastMagnitudeX=
0,this._gestureLastMagnitudeY=0,this._eventHandlers={focusCanvas:this._focusCanvas.bind(this),handleResize:this._handleResize.bind(this),handleMouse:this._handleMouse.
bind(this),handleWheel:this._handleWheel.bind(this),handleGesture:this._handleGesture.bind(this),handleRSAAESCredentialsRequired:this._handleRSAAESCredentialsRequired.
bind(this),handleRSAAESServerVerification:this._handleRSAAESServerVerification.bind(this)},L(">> RFB.constructor"),this._screen=document.createElement("div"),this.
_screen.style.display="flex",this._screen.style.width="100%",this._screen.style.height="100%",this._screen.style.overflow="auto",this._screen.style.background=Ca,
this._canvas=document.createElement("canvas"),this._canvas.style.margin="auto",this._canvas.style.outline="none",this._canvas.width=0,this._canvas.height=0,this.
_canvas.tabIndex=-1,this._screen.appendChild(this._canvas),this._cursor=new Kt,this._cursorImage=t.cursors.none,this._decoders[R.encodingRaw]=new St,this._decoders[R.
encodingCopyRect]=new Et,this._decoders[R.encodingRRE]=new At,this._decoders[R.encodingHextile]=new Ct,this._decoders[R.encodingZlib]=new Lt,this._decoders[R.encodingTight]=
new Pe,this._decoders[R.encodingTightPNG]=new Tt,this._decoders[R.encodingZRLE]=new Mt,this._decoders[R.encodingJPEG]=new Rt,this._decoders[R.encodingH264]=new Bt;
try{this._display=new ot(this._canvas)}catch(r){throw U("Display exception: "+r),r}this._keyboard=new vt(this._canvas),this._keyboard.onkeyevent=this._handleKeyEvent.
bind(this),this._remoteCapsLock=null,this._remoteNumLock=null,this._gestures=new yt,this._sock=new kt,this._sock.on("open",this._socketOpen.bind(this)),this._sock.
on("close",this._socketClose.bind(this)),this._sock.on("message",this._handleMessage.bind(this)),this._sock.on("error",this._socketError.bind(this)),this._expectedClientWidth=
null,this._expectedClientHeight=null,this._resizeObserver=new ResizeObserver(this._eventHandlers.handleResize),this._updateConnectionState("connecting"),L("<< R\
FB.constructor"),this.dragViewport=!1,this.focusOnClick=!0,this._viewOnly=!1,this._clipViewport=!1,this._clippingViewport=!1,this._scaleViewport=!1,this._resizeSession=
!1,this._showDotCursor=!1,this._qualityLevel=6,this._compressionLevel=2}get viewOnly(){return this._viewOnly}set viewOnly(i){this._viewOnly=i,(this._rfbConnectionState===
"connecting"||this._rfbConnectionState==="connected")&&(i?this._keyboard.ungrab():this._keyboard.grab())}get capabilities(){return this._capabilities}get clippingViewport(){
return this._clippingViewport}_setClippingViewport(i){i!==this._clippingViewport&&(this._clippingViewport=i,this.dispatchEvent(new CustomEvent("clippingviewport",
{detail:this._clippingViewport})))}get touchButton(){return 0}set touchButton(i){Z("Using old API!")}get clipViewport(){return this._clipViewport}set clipViewport(i){
this._clipViewport=i,this._updateClip()}get scaleViewport(){return this._scaleViewport}set scaleViewport(i){this._scaleViewport=i,i&&this._clipViewport&&this._updateClip(),
this._updateScale(),!i&&this._clipViewport&&this._updateClip()}get resizeSession(){return this._resizeSession}set resizeSession(i){this._resizeSession=i,i&&this.
_requestRemoteResize()}get showDotCursor(){return this._showDotCursor}set showDotCursor(i){this._showDotCursor=i,this._refreshCursor()}get background(){return this.
_screen.style.background}set background(i){this._screen.style.background=i}get qualityLevel(){return this._qualityLevel}set qualityLevel(i){if(!Number.isInteger(
i)||i<0||i>9){U("qualityLevel must be an integer between 0 and 9");return}this._qualityLevel!==i&&(this._qualityLevel=i,this._rfbConnectionState==="connected"&&
this._sendEncodings())}get compressionLevel(){return this._compressionLevel}set compressionLevel(i){if(!Number.isInteger(i)||i<0||i>9){U("compressionLevel must \
be an integer between 0 and 9");return}this._compressionLevel!==i&&(this._compressionLevel=i,this._rfbConnectionState==="connected"&&this._sendEncodings())}disconnect(){
this._updateConnectionState("disconnecting"),this._sock.off("error"),this._sock.off("message"),this._sock.off("open"),this._rfbRSAAESAuthenticationState!==null&&
this._rfbRSAAESAuthenticationState.disconnect()}approveServer(){this._rfbRSAAESAuthenticationState!==null&&this._rfbRSAAESAuthenticationState.approveServer()}sendCredentials(i){
this._rfbCredentials=i,this._resumeAuthentication()}sendCtrlAltDel(){this._rfbConnectionState!=="connected"||this._viewOnly||(V("Sending Ctrl-Alt-Del"),this.sendKey(
f.XK_Control_L,"ControlLeft",!0),this.sendKey(f.XK_Alt_L,"AltLeft",!0),this.sendKey(f.XK_Delete,"Delete",!0),this.sendKey(f.XK_Delete,"Delete",!1),this.sendKey(
f.XK_Alt_L,"AltLeft",!1),this.sendKey(f.XK_Control_L,"ControlLeft",!1))}machineShutdown(){this._xvpOp(1,2)}machineReboot(){this._xvpOp(1,3)}machineReset(){this.
_xvpOp(1,4)}sendKey(i,e,s){if(this._rfbConnectionState!=="connected"||this._viewOnly)return;if(s===void 0){this.sendKey(i,e,!0),this.sendKey(i,e,!1);return}let r=Lr[e];
if(this._qemuExtKeyEventSupported&&r)i=i||0,V("Sending key ("+(s?"down":"up")+"): keysym "+i+", scancode "+r),t.messages.QEMUExtendedKeyEvent(this._sock,i,s,r);else{
if(!i)return;V("Sending keysym ("+(s?"down":"up")+"): "+i),t.messages.keyEvent(this._sock,i,s?1:0)}}focus(i){this._canvas.focus(i)}blur(){this._canvas.blur()}clipboardPasteFrom(i){
if(!(this._rfbConnectionState!=="connected"||this._viewOnly))if(this._clipboardServerCapabilitiesFormats[pe]&&this._clipboardServerCapabilitiesActions[Qt])this.
_clipboardText=i,t.messages.extendedClipboardNotify(this._sock,[pe]);else{let e,s,r;e=0;for(let n of i)e++;r=new Uint8Array(e),s=0;for(let n of i){let a=n.codePointAt(
0);a>255&&(a=63),r[s++]=a}t.messages.clientCutText(this._sock,r)}}getImageData(){return this._display.getImageData()}toDataURL(i,e){return this._display.toDataURL(
i,e)}toBlob(i,e,s){return this._display.toBlob(i,e,s)}_connect(){if(L(">> RFB.connect"),this._url)V(`connecting to ${this._url}`),this._sock.open(this._url,this.
_wsProtocols);else{if(V(`attaching ${this._rawChannel} to Websock`),this._sock.attach(this._rawChannel),this._sock.readyState==="closed")throw Error("Cannot use\
 already closed WebSocket/RTCDataChannel");this._sock.readyState==="open"&&this._socketOpen()}this._target.appendChild(this._screen),this._gestures.attach(this.
_canvas),this._cursor.attach(this._canvas),this._refreshCursor(),this._resizeObserver.observe(this._screen),this._canvas.addEventListener("mousedown",this._eventHandlers.
focusCanvas),this._canvas.addEventListener("touchstart",this._eventHandlers.focusCanvas),this._canvas.addEventListener("mousedown",this._eventHandlers.handleMouse),
this._canvas.addEventListener("mouseup",this._eventHandlers.handleMouse),this._canvas.addEventListener("mousemove",this._eventHandlers.handleMouse),this._canvas.
addEventListener("click",this._eventHandlers.handleMouse),this._canvas.addEventListener("contextmenu",this._eventHandlers.handleMouse),this._canvas.addEventListener(
"wheel",this._eventHandlers.handleWheel),this._canvas.addEventListener("gesturestart",this._eventHandlers.handleGesture),this._canvas.addEventListener("gesturem\
ove",this._eventHandlers.handleGesture),this._canvas.addEventListener("gestureend",this._eventHandlers.handleGesture),L("<< RFB.connect")}_disconnect(){L(">> RF\
B.disconnect"),this._cursor.detach(),this._canvas.removeEventListener("gesturestart",this._eventHandlers.handleGesture),this._canvas.removeEventListener("gestur\
emove",this._eventHandlers.handleGesture),this._canvas.removeEventListener("gestureend",this._eventHandlers.handleGesture),this._canvas.removeEventListener("whe\
el",this._eventHandlers.handleWheel),this._canvas.removeEventListener("mousedown",this._eventHandlers.handleMouse),this._canvas.removeEventListener("mouseup",this.
_eventHandlers.handleMouse),this._canvas.removeEventListener("mousemove",this._eventHandlers.handleMouse),this._canvas.removeEventListener("click",this._eventHandlers.
handleMouse),this._canvas.removeEventListener("contextmenu",this._eventHandlers.handleMouse),this._canvas.removeEventListener("mousedown",this._eventHandlers.focusCanvas),
this._canvas.removeEventListener("touchstart",this._eventHandlers.focusCanvas),this._resizeObserver.disconnect(),this._keyboard.ungrab(),this._gestures.detach(),
this._sock.close();try{this._target.removeChild(this._screen)}catch(i){if(i.name!=="NotFoundError")throw i}clearTimeout(this._resizeTimeout),clearTimeout(this._mouseMoveTimer),
L("<< RFB.disconnect")}_socketOpen(){this._rfbConnectionState==="connecting"&&this._rfbInitState===""?(this._rfbInitState="ProtocolVersion",L("Starting VNC hand\
shake")):this._fail("Unexpected server connection while "+this._rfbConnectionState)}_socketClose(i){L("WebSocket on-close event");let e="";switch(i.code&&(e="(c\
ode: "+i.code,i.reason&&(e+=", reason: "+i.reason),e+=")"),this._rfbConnectionState){case"connecting":this._fail("Connection closed "+e);break;case"connected":this.
_updateConnectionState("disconnecting"),this._updateConnectionState("disconnected");break;case"disconnecting":this._updateConnectionState("disconnected");break;case"\
disconnected":this._fail("Unexpected server disconnect when already disconnected "+e);break;default:this._fail("Unexpected server disconnect before connecting "+
e);break}this._sock.off("close"),this._rawChannel=null}_socketError(i){Z("WebSocket on-error event")}_focusCanvas(i){this.focusOnClick&&this.focus({preventScroll:!0})}_setDesktopName(i){
this._fbName=i,this.dispatchEvent(new CustomEvent("desktopname",{detail:{name:this._fbName}}))}_saveExpectedClientSize(){this._expectedClientWidth=this._screen.
clientWidth,this._expectedClientHeight=this._screen.clientHeight}_currentClientSize(){return[this._screen.clientWidth,this._screen.clientHeight]}_clientHasExpectedSize(){
let[i,e]=this._currentClientSize();return i==this._expectedClientWidth&&e==this._expectedClientHeight}_handleResize(){this._clientHasExpectedSize()||(window.requestAnimationFrame(
()=>{this._updateClip(),this._updateScale(),this._saveExpectedClientSize()}),this._requestRemoteResize())}_updateClip(){let i=this._display.clipViewport,e=this.
_clipViewport;if(this._scaleViewport&&(e=!1),i!==e&&(this._display.clipViewport=e),e){let s=this._screenSize();this._display.viewportChangeSize(s.w,s.h),this._fixScrollbars(),
this._setClippingViewport(s.w<this._display.width||s.h<this._display.height)}else this._setClippingViewport(!1);i!==e&&this._saveExpectedClientSize()}_updateScale(){
if(!this._scaleViewport)this._display.scale=1;else{let i=this._screenSize();this._display.autoscale(i.w,i.h)}this._fixScrollbars()}_requestRemoteResize(){if(!this.
_resizeSession||this._viewOnly||!this._supportsSetDesktopSize||this._pendingRemoteResize)return;if(Date.now()-this._lastResize<100){clearTimeout(this._resizeTimeout),
this._resizeTimeout=setTimeout(this._requestRemoteResize.bind(this),100-(Date.now()-this._lastResize));return}this._resizeTimeout=null;let i=this._screenSize();
i.w===this._fbWidth&&i.h===this._fbHeight||(this._pendingRemoteResize=!0,this._lastResize=Date.now(),t.messages.setDesktopSize(this._sock,Math.floor(i.w),Math.floor(
i.h),this._screenID,this._screenFlags),L("Requested new desktop size: "+i.w+"x"+i.h))}_screenSize(){let i=this._screen.getBoundingClientRect();return{w:i.width,
h:i.height}}_fixScrollbars(){let i=this._screen.style.overflow;this._screen.style.overflow="hidden",this._screen.getBoundingClientRect(),this._screen.style.overflow=
i}_updateConnectionState(i){let e=this._rfbConnectionState;if(i===e){L("Already in state '"+i+"', ignoring");return}if(e==="disconnected"){U("Tried changing sta\
te of a disconnected RFB object");return}switch(i){case"connected":if(e!=="connecting"){U("Bad transition to connected state, previous connection state: "+e);return}
break;case"disconnected":if(e!=="disconnecting"){U("Bad transition to disconnected state, previous connection state: "+e);return}break;case"connecting":if(e!==""){
U("Bad transition to connecting state, previous connection state: "+e);return}break;case"disconnecting":if(e!=="connected"&&e!=="connecting"){U("Bad transition \
to disconnecting state, previous connection state: "+e);return}break;default:U("Unknown connection state: "+i);return}switch(this._rfbConnectionState=i,L("New s\
tate '"+i+"', was '"+e+"'."),this._disconnTimer&&i!=="disconnecting"&&(L("Clearing disconnect timer"),clearTimeout(this._disconnTimer),this._disconnTimer=null,this.
_sock.off("close")),i){case"connecting":this._connect();break;case"connected":this.dispatchEvent(new CustomEvent("connect",{detail:{}}));break;case"disconnectin\
g":this._disconnect(),this._disconnTimer=setTimeout(()=>{U("Disconnection timed out."),this._updateConnectionState("disconnected")},Aa*1e3);break;case"disconnec\
ted":this.dispatchEvent(new CustomEvent("disconnect",{detail:{clean:this._rfbCleanDisconnect}}));break}}_fail(i){switch(this._rfbConnectionState){case"disconnec\
ting":U("Failed when disconnecting: "+i);break;case"connected":U("Failed while connected: "+i);break;case"connecting":U("Failed when connecting: "+i);break;default:
U("RFB failure: "+i);break}return this._rfbCleanDisconnect=!1,this._updateConnectionState("disconnecting"),this._updateConnectionState("disconnected"),!1}_setCapability(i,e){
this._capabilities[i]=e,this.dispatchEvent(new CustomEvent("capabilities",{detail:{capabilities:this._capabilities}}))}_handleMessage(){if(this._sock.rQwait("me\
ssage",1)){Z("handleMessage called on an empty receive queue");return}switch(this._rfbConnectionState){case"disconnected":U("Got data while disconnected");break;case"\
connected":for(;!(this._flushing||!this._normalMsg()||this._sock.rQwait("message",1)););break;case"connecting":for(;this._rfbConnectionState==="connecting"&&this.
_initMsg(););break;default:U("Got data while in an invalid state");break}}_handleKeyEvent(i,e,s,r,n){e=="CapsLock"&&s&&(this._remoteCapsLock=null),this._remoteCapsLock!==
null&&n!==null&&this._remoteCapsLock!==n&&s&&(L("Fixing remote caps lock"),this.sendKey(f.XK_Caps_Lock,"CapsLock",!0),this.sendKey(f.XK_Caps_Lock,"CapsLock",!1),
this._remoteCapsLock=null),e=="NumLock"&&s&&(this._remoteNumLock=null),this._remoteNumLock!==null&&r!==null&&this._remoteNumLock!==r&&s&&(L("Fixing remote num l\
ock"),this.sendKey(f.XK_Num_Lock,"NumLock",!0),this.sendKey(f.XK_Num_Lock,"NumLock",!1),this._remoteNumLock=null),this.sendKey(i,e,s)}static _convertButtonMask(i){
let e={0:1,1:4,2:2,3:128,4:256},s=0;for(let r=0;r<5;r++)i&1<<r&&(s|=e[r]);return s}_handleMouse(i){if(i.type==="click"&&i.target!==this._canvas||(i.stopPropagation(),
i.preventDefault(),i.type==="click"||i.type==="contextmenu"))return;let e=ze(i.clientX,i.clientY,this._canvas),s=t._convertButtonMask(i.buttons),r=i.type=="mous\
edown";switch(i.type){case"mousedown":case"mouseup":if(this.dragViewport)if(r&&!this._viewportDragging){this._viewportDragging=!0,this._viewportDragPos={x:e.x,y:e.
y},this._viewportHasMoved=!1,this._flushMouseMoveTimer(e.x,e.y),this._mouseButtonMask=s;break}else{if(this._viewportDragging=!1,this._viewportHasMoved){this._mouseButtonMask=
s;break}this._sendMouse(e.x,e.y,this._mouseButtonMask)}r&&_s(this._canvas),this._handleMouseButton(e.x,e.y,s);break;case"mousemove":if(this._viewportDragging){let n=this.
_viewportDragPos.x-e.x,a=this._viewportDragPos.y-e.y;(this._viewportHasMoved||Math.abs(n)>at||Math.abs(a)>at)&&(this._viewportHasMoved=!0,this._viewportDragPos=
{x:e.x,y:e.y},this._display.viewportChangePos(n,a));break}this._handleMouseMove(e.x,e.y);break}}_handleMouseButton(i,e,s){this._flushMouseMoveTimer(i,e),this._mouseButtonMask=
s,this._sendMouse(i,e,this._mouseButtonMask)}_handleMouseMove(i,e){if(this._mousePos={x:i,y:e},this._mouseMoveTimer==null){let s=Date.now()-this._mouseLastMoveTime;
s>Nr?(this._sendMouse(i,e,this._mouseButtonMask),this._mouseLastMoveTime=Date.now()):this._mouseMoveTimer=setTimeout(()=>{this._handleDelayedMouseMove()},Nr-s)}}_handleDelayedMouseMove(){
this._mouseMoveTimer=null,this._sendMouse(this._mousePos.x,this._mousePos.y,this._mouseButtonMask),this._mouseLastMoveTime=Date.now()}_sendMouse(i,e,s){if(this.
_rfbConnectionState!=="connected"||this._viewOnly)return;if(s&32768)throw new Error("Illegal mouse button mask (mask: "+s+")");let r=s&32640;this._extendedPointerEventSupported&&
r?t.messages.extendedPointerEvent(this._sock,this._display.absX(i),this._display.absY(e),s):t.messages.pointerEvent(this._sock,this._display.absX(i),this._display.
absY(e),s)}_handleWheel(i){if(this._rfbConnectionState!=="connected"||this._viewOnly)return;i.stopPropagation(),i.preventDefault();let e=ze(i.clientX,i.clientY,
this._canvas),s=t._convertButtonMask(i.buttons),r=i.deltaX,n=i.deltaY;i.deltaMode!==0&&(r*=zr,n*=zr),this._accumulatedWheelDeltaX+=r,this._accumulatedWheelDeltaY+=
n,Math.abs(this._accumulatedWheelDeltaX)>=Or&&(this._accumulatedWheelDeltaX<0?(this._handleMouseButton(e.x,e.y,s|32),this._handleMouseButton(e.x,e.y,s)):this._accumulatedWheelDeltaX>
0&&(this._handleMouseButton(e.x,e.y,s|64),this._handleMouseButton(e.x,e.y,s)),this._accumulatedWheelDeltaX=0),Math.abs(this._accumulatedWheelDeltaY)>=Or&&(this.
_accumulatedWheelDeltaY<0?(this._handleMouseButton(e.x,e.y,s|8),this._handleMouseButton(e.x,e.y,s)):this._accumulatedWheelDeltaY>0&&(this._handleMouseButton(e.x,
e.y,s|16),this._handleMouseButton(e.x,e.y,s)),this._accumulatedWheelDeltaY=0)}_fakeMouseMove(i,e,s){this._handleMouseMove(e,s),this._cursor.move(i.detail.clientX,
i.detail.clientY)}_handleTapEvent(i,e){let s=ze(i.detail.clientX,i.detail.clientY,this._canvas);if(this._gestureLastTapTime!==null&&Date.now()-this._gestureLastTapTime<
La&&this._gestureFirstDoubleTapEv.detail.type===i.detail.type){let r=this._gestureFirstDoubleTapEv.detail.clientX-i.detail.clientX,n=this._gestureFirstDoubleTapEv.
detail.clientY-i.detail.clientY;Math.hypot(r,n)<Ta?s=ze(this._gestureFirstDoubleTapEv.detail.clientX,this._gestureFirstDoubleTapEv.detail.clientY,this._canvas):
this._gestureFirstDoubleTapEv=i}else this._gestureFirstDoubleTapEv=i;this._gestureLastTapTime=Date.now(),this._fakeMouseMove(this._gestureFirstDoubleTapEv,s.x,s.
y),this._handleMouseButton(s.x,s.y,e),this._handleMouseButton(s.x,s.y,0)}_handleGesture(i){let e,s=ze(i.detail.clientX,i.detail.clientY,this._canvas);switch(i.type){case"\
gesturestart":switch(i.detail.type){case"onetap":this._handleTapEvent(i,1);break;case"twotap":this._handleTapEvent(i,4);break;case"threetap":this._handleTapEvent(
i,2);break;case"drag":this.dragViewport?(this._viewportHasMoved=!1,this._viewportDragging=!0,this._viewportDragPos={x:s.x,y:s.y}):(this._fakeMouseMove(i,s.x,s.y),
this._handleMouseButton(s.x,s.y,1));break;case"longpress":this.dragViewport?(this._viewportHasMoved=!1,this._viewportDragPos={x:s.x,y:s.y}):(this._fakeMouseMove(
i,s.x,s.y),this._handleMouseButton(s.x,s.y,4));break;case"twodrag":this._gestureLastMagnitudeX=i.detail.magnitudeX,this._gestureLastMagnitudeY=i.detail.magnitudeY,
this._fakeMouseMove(i,s.x,s.y);break;case"pinch":this._gestureLastMagnitudeX=Math.hypot(i.detail.magnitudeX,i.detail.magnitudeY),this._fakeMouseMove(i,s.x,s.y);
break}break;case"gesturemove":switch(i.detail.type){case"onetap":case"twotap":case"threetap":break;case"drag":case"longpress":if(this.dragViewport){this._viewportDragging=
!0;let r=this._viewportDragPos.x-s.x,n=this._viewportDragPos.y-s.y;(this._viewportHasMoved||Math.abs(r)>at||Math.abs(n)>at)&&(this._viewportHasMoved=!0,this._viewportDragPos=
{x:s.x,y:s.y},this._display.viewportChangePos(r,n))}else this._fakeMouseMove(i,s.x,s.y);break;case"twodrag":for(this._fakeMouseMove(i,s.x,s.y);i.detail.magnitudeY-
this._gestureLastMagnitudeY>Fe;)this._handleMouseButton(s.x,s.y,8),this._handleMouseButton(s.x,s.y,0),this._gestureLastMagnitudeY+=Fe;for(;i.detail.magnitudeY-this.
_gestureLastMagnitudeY<-Fe;)this._handleMouseButton(s.x,s.y,16),this._handleMouseButton(s.x,s.y,0),this._gestureLastMagnitudeY-=Fe;for(;i.detail.magnitudeX-this.
_gestureLastMagnitudeX>Fe;)this._handleMouseButton(s.x,s.y,32),this._handleMouseButton(s.x,s.y,0),this._gestureLastMagnitudeX+=Fe;for(;i.detail.magnitudeX-this.
_gestureLastMagnitudeX<-Fe;)this._handleMouseButton(s.x,s.y,64),this._handleMouseButton(s.x,s.y,0),this._gestureLastMagnitudeX-=Fe;break;case"pinch":if(this._fakeMouseMove(
i,s.x,s.y),e=Math.hypot(i.detail.magnitudeX,i.detail.magnitudeY),Math.abs(e-this._gestureLastMagnitudeX)>Dt){for(this._handleKeyEvent(f.XK_Control_L,"ControlLef\
t",!0);e-this._gestureLastMagnitudeX>Dt;)this._handleMouseButton(s.x,s.y,8),this._handleMouseButton(s.x,s.y,0),this._gestureLastMagnitudeX+=Dt;for(;e-this._gestureLastMagnitudeX<
-Dt;)this._handleMouseButton(s.x,s.y,16),this._handleMouseButton(s.x,s.y,0),this._gestureLastMagnitudeX-=Dt}this._handleKeyEvent(f.XK_Control_L,"ControlLeft",!1);
break}break;case"gestureend":switch(i.detail.type){case"onetap":case"twotap":case"threetap":case"pinch":case"twodrag":break;case"drag":this.dragViewport?this._viewportDragging=
!1:(this._fakeMouseMove(i,s.x,s.y),this._handleMouseButton(s.x,s.y,0));break;case"longpress":if(this._viewportHasMoved)break;this.dragViewport&&!this._viewportHasMoved?
(this._fakeMouseMove(i,s.x,s.y),this._handleMouseButton(s.x,s.y,4),this._handleMouseButton(s.x,s.y,0),this._viewportDragging=!1):(this._fakeMouseMove(i,s.x,s.y),
this._handleMouseButton(s.x,s.y,0));break}break}}_flushMouseMoveTimer(i,e){this._mouseMoveTimer!==null&&(clearTimeout(this._mouseMoveTimer),this._mouseMoveTimer=
null,this._sendMouse(i,e,this._mouseButtonMask))}_negotiateProtocolVersion(){if(this._sock.rQwait("version",12))return!1;let i=this._sock.rQshiftStr(12).substr(
4,7);V("Server ProtocolVersion: "+i);let e=0;switch(i){case"000.000":e=1;break;case"003.003":case"003.006":this._rfbVersion=3.3;break;case"003.007":this._rfbVersion=
3.7;break;case"003.008":case"003.889":case"004.000":case"004.001":case"005.000":this._rfbVersion=3.8;break;default:return this._fail("Invalid server version "+i)}
if(e){let r="ID:"+this._repeaterID;for(;r.length<250;)r+="\0";return this._sock.sQpushString(r),this._sock.flush(),!0}this._rfbVersion>this._rfbMaxVersion&&(this.
_rfbVersion=this._rfbMaxVersion);let s="00"+parseInt(this._rfbVersion,10)+".00"+this._rfbVersion*10%10;this._sock.sQpushString("RFB "+s+`
`),this._sock.flush(),L("Sent ProtocolVersion: "+s),this._rfbInitState="Security"}_isSupportedSecurityType(i){return[Gr,ui,Vr,Wr,ts,Zr,Yr,jr,Jr].includes(i)}_negotiateSecurity(){
if(this._rfbVersion>=3.7){let i=this._sock.rQshift8();if(this._sock.rQwait("security type",i,1))return!1;if(i===0)return this._rfbInitState="SecurityReason",this.
_securityContext="no security types",this._securityStatus=1,!0;let e=this._sock.rQshiftBytes(i);L("Server security types: "+e),this._rfbAuthScheme=-1;for(let s of e)
if(this._isSupportedSecurityType(s)){this._rfbAuthScheme=s;break}if(this._rfbAuthScheme===-1)return this._fail("Unsupported security types (types: "+e+")");this.
_sock.sQpush8(this._rfbAuthScheme),this._sock.flush()}else{if(this._sock.rQwait("security scheme",4))return!1;if(this._rfbAuthScheme=this._sock.rQshift32(),this.
_rfbAuthScheme==0)return this._rfbInitState="SecurityReason",this._securityContext="authentication scheme",this._securityStatus=1,!0}return this._rfbInitState="\
Authentication",L("Authenticating using scheme: "+this._rfbAuthScheme),!0}_handleSecurityReason(){if(this._sock.rQwait("reason length",4))return!1;let i=this._sock.
rQshift32(),e="";if(i>0){if(this._sock.rQwait("reason",i,4))return!1;e=this._sock.rQshiftStr(i)}return e!==""?(this.dispatchEvent(new CustomEvent("securityfailu\
re",{detail:{status:this._securityStatus,reason:e}})),this._fail("Security negotiation failed on "+this._securityContext+" (reason: "+e+")")):(this.dispatchEvent(
new CustomEvent("securityfailure",{detail:{status:this._securityStatus}})),this._fail("Security negotiation failed on "+this._securityContext))}_negotiateXvpAuth(){
return this._rfbCredentials.username===void 0||this._rfbCredentials.password===void 0||this._rfbCredentials.target===void 0?(this.dispatchEvent(new CustomEvent(
"credentialsrequired",{detail:{types:["username","password","target"]}})),!1):(this._sock.sQpush8(this._rfbCredentials.username.length),this._sock.sQpush8(this.
_rfbCredentials.target.length),this._sock.sQpushString(this._rfbCredentials.username),this._sock.sQpushString(this._rfbCredentials.target),this._sock.flush(),this.
_rfbAuthScheme=ui,this._negotiateAuthentication())}_negotiateVeNCryptAuth(){if(this._rfbVeNCryptState==0){if(this._sock.rQwait("vencrypt version",2))return!1;let i=this.
_sock.rQshift8(),e=this._sock.rQshift8();if(!(i==0&&e==2))return this._fail("Unsupported VeNCrypt version "+i+"."+e);this._sock.sQpush8(0),this._sock.sQpush8(2),
this._sock.flush(),this._rfbVeNCryptState=1}if(this._rfbVeNCryptState==1){if(this._sock.rQwait("vencrypt ack",1))return!1;let i=this._sock.rQshift8();if(i!=0)return this.
_fail("VeNCrypt failure "+i);this._rfbVeNCryptState=2}if(this._rfbVeNCryptState==2){if(this._sock.rQwait("vencrypt subtypes length",1))return!1;let i=this._sock.
rQshift8();if(i<1)return this._fail("VeNCrypt subtypes empty");this._rfbVeNCryptSubtypesLength=i,this._rfbVeNCryptState=3}if(this._rfbVeNCryptState==3){if(this.
_sock.rQwait("vencrypt subtypes",4*this._rfbVeNCryptSubtypesLength))return!1;let i=[];for(let e=0;e<this._rfbVeNCryptSubtypesLength;e++)i.push(this._sock.rQshift32());
this._rfbAuthScheme=-1;for(let e of i)if(e!==ts&&this._isSupportedSecurityType(e)){this._rfbAuthScheme=e;break}return this._rfbAuthScheme===-1?this._fail("Unsup\
ported security types (types: "+i+")"):(this._sock.sQpush32(this._rfbAuthScheme),this._sock.flush(),this._rfbVeNCryptState=4,!0)}}_negotiatePlainAuth(){if(this.
_rfbCredentials.username===void 0||this._rfbCredentials.password===void 0)return this.dispatchEvent(new CustomEvent("credentialsrequired",{detail:{types:["usern\
ame","password"]}})),!1;let i=le(this._rfbCredentials.username),e=le(this._rfbCredentials.password);return this._sock.sQpush32(i.length),this._sock.sQpush32(e.length),
this._sock.sQpushString(i),this._sock.sQpushString(e),this._sock.flush(),this._rfbInitState="SecurityResult",!0}_negotiateStdVNCAuth(){if(this._sock.rQwait("aut\
h challenge",16))return!1;if(this._rfbCredentials.password===void 0)return this.dispatchEvent(new CustomEvent("credentialsrequired",{detail:{types:["password"]}})),
!1;let i=Array.prototype.slice.call(this._sock.rQshiftBytes(16)),e=t.genDES(this._rfbCredentials.password,i);return this._sock.sQpushBytes(e),this._sock.flush(),
this._rfbInitState="SecurityResult",!0}_negotiateARDAuth(){if(this._rfbCredentials.username===void 0||this._rfbCredentials.password===void 0)return this.dispatchEvent(
new CustomEvent("credentialsrequired",{detail:{types:["username","password"]}})),!1;if(this._rfbCredentials.ardPublicKey!=null&&this._rfbCredentials.ardCredentials!=
null)return this._sock.sQpushBytes(this._rfbCredentials.ardCredentials),this._sock.sQpushBytes(this._rfbCredentials.ardPublicKey),this._sock.flush(),this._rfbCredentials.
ardCredentials=null,this._rfbCredentials.ardPublicKey=null,this._rfbInitState="SecurityResult",!0;if(this._sock.rQwait("read ard",4))return!1;let i=this._sock.rQshiftBytes(
2),e=this._sock.rQshift16();if(this._sock.rQwait("read ard keylength",e*2,4))return!1;let s=this._sock.rQshiftBytes(e),r=this._sock.rQshiftBytes(e),n=O.generateKey(
{name:"DH",g:i,p:s},!1,["deriveBits"]);return this._negotiateARDAuthAsync(e,r,n),!1}async _negotiateARDAuthAsync(i,e,s){let r=O.exportKey("raw",s.publicKey),n=O.
deriveBits({name:"DH",public:e},s.privateKey,i*8),a=le(this._rfbCredentials.username).substring(0,63),h=le(this._rfbCredentials.password).substring(0,63),c=window.
crypto.getRandomValues(new Uint8Array(128));for(let d=0;d<a.length;d++)c[d]=a.charCodeAt(d);c[a.length]=0;for(let d=0;d<h.length;d++)c[64+d]=h.charCodeAt(d);c[64+
h.length]=0;let o=await O.digest("MD5",n),l=await O.importKey("raw",o,{name:"AES-ECB"},!1,["encrypt"]),u=await O.encrypt({name:"AES-ECB"},l,c);this._rfbCredentials.
ardCredentials=u,this._rfbCredentials.ardPublicKey=r,this._resumeAuthentication()}_negotiateTightUnixAuth(){return this._rfbCredentials.username===void 0||this.
_rfbCredentials.password===void 0?(this.dispatchEvent(new CustomEvent("credentialsrequired",{detail:{types:["username","password"]}})),!1):(this._sock.sQpush32(
this._rfbCredentials.username.length),this._sock.sQpush32(this._rfbCredentials.password.length),this._sock.sQpushString(this._rfbCredentials.username),this._sock.
sQpushString(this._rfbCredentials.password),this._sock.flush(),this._rfbInitState="SecurityResult",!0)}_negotiateTightTunnels(i){let e={0:{vendor:"TGHT",signature:"\
NOTUNNEL"}},s={};for(let r=0;r<i;r++){let n=this._sock.rQshift32(),a=this._sock.rQshiftStr(4),h=this._sock.rQshiftStr(8);s[n]={vendor:a,signature:h}}return L("S\
erver Tight tunnel types: "+s),s[1]&&s[1].vendor==="SICR"&&s[1].signature==="SCHANNEL"&&(L("Detected Siemens server. Assuming NOTUNNEL support."),s[0]={vendor:"\
TGHT",signature:"NOTUNNEL"}),s[0]?s[0].vendor!=e[0].vendor||s[0].signature!=e[0].signature?this._fail("Client's tunnel type had the incorrect vendor or signatur\
e"):(L("Selected tunnel type: "+e[0]),this._sock.sQpush32(0),this._sock.flush(),!1):this._fail("Server wanted tunnels, but doesn't support the notunnel type")}_negotiateTightAuth(){
if(!this._rfbTightVNC){if(this._sock.rQwait("num tunnels",4))return!1;let r=this._sock.rQshift32();if(r>0&&this._sock.rQwait("tunnel capabilities",16*r,4))return!1;
if(this._rfbTightVNC=!0,r>0)return this._negotiateTightTunnels(r),!1}if(this._sock.rQwait("sub auth count",4))return!1;let i=this._sock.rQshift32();if(i===0)return this.
_rfbInitState="SecurityResult",!0;if(this._sock.rQwait("sub auth capabilities",16*i,4))return!1;let e={STDVNOAUTH__:1,STDVVNCAUTH_:2,TGHTULGNAUTH:129},s=[];for(let r=0;r<
i;r++){this._sock.rQshift32();let n=this._sock.rQshiftStr(12);s.push(n)}L("Server Tight authentication types: "+s);for(let r in e)if(s.indexOf(r)!=-1)switch(this.
_sock.sQpush32(e[r]),this._sock.flush(),L("Selected authentication type: "+r),r){case"STDVNOAUTH__":return this._rfbInitState="SecurityResult",!0;case"STDVVNCAU\
TH_":return this._rfbAuthScheme=ui,!0;case"TGHTULGNAUTH":return this._rfbAuthScheme=qr,!0;default:return this._fail("Unsupported tiny auth scheme (scheme: "+r+"\
)")}return this._fail("No supported sub-auth types!")}_handleRSAAESCredentialsRequired(i){this.dispatchEvent(i)}_handleRSAAESServerVerification(i){this.dispatchEvent(
i)}_negotiateRA2neAuth(){return this._rfbRSAAESAuthenticationState===null&&(this._rfbRSAAESAuthenticationState=new Ft(this._sock,()=>this._rfbCredentials),this.
_rfbRSAAESAuthenticationState.addEventListener("serververification",this._eventHandlers.handleRSAAESServerVerification),this._rfbRSAAESAuthenticationState.addEventListener(
"credentialsrequired",this._eventHandlers.handleRSAAESCredentialsRequired)),this._rfbRSAAESAuthenticationState.checkInternalEvents(),this._rfbRSAAESAuthenticationState.
hasStarted||this._rfbRSAAESAuthenticationState.negotiateRA2neAuthAsync().catch(i=>{i.message!=="disconnect normally"&&this._fail(i.message)}).then(()=>(this._rfbInitState=
"SecurityResult",!0)).finally(()=>{this._rfbRSAAESAuthenticationState.removeEventListener("serververification",this._eventHandlers.handleRSAAESServerVerification),
this._rfbRSAAESAuthenticationState.removeEventListener("credentialsrequired",this._eventHandlers.handleRSAAESCredentialsRequired),this._rfbRSAAESAuthenticationState=
null}),!1}_negotiateMSLogonIIAuth(){if(this._sock.rQwait("mslogonii dh param",24))return!1;if(this._rfbCredentials.username===void 0||this._rfbCredentials.password===
void 0)return this.dispatchEvent(new CustomEvent("credentialsrequired",{detail:{types:["username","password"]}})),!1;let i=this._sock.rQshiftBytes(8),e=this._sock.
rQshiftBytes(8),s=this._sock.rQshiftBytes(8),r=O.generateKey({name:"DH",g:i,p:e},!0,["deriveBits"]),n=O.exportKey("raw",r.publicKey),a=O.deriveBits({name:"DH",public:s},
r.privateKey,64),h=O.importKey("raw",a,{name:"DES-CBC"},!1,["encrypt"]),c=le(this._rfbCredentials.username).substring(0,255),o=le(this._rfbCredentials.password).
substring(0,63),l=new Uint8Array(256),u=new Uint8Array(64);window.crypto.getRandomValues(l),window.crypto.getRandomValues(u);for(let d=0;d<c.length;d++)l[d]=c.charCodeAt(
d);l[c.length]=0;for(let d=0;d<o.length;d++)u[d]=o.charCodeAt(d);return u[o.length]=0,l=O.encrypt({name:"DES-CBC",iv:a},h,l),u=O.encrypt({name:"DES-CBC",iv:a},h,
u),this._sock.sQpushBytes(n),this._sock.sQpushBytes(l),this._sock.sQpushBytes(u),this._sock.flush(),this._rfbInitState="SecurityResult",!0}_negotiateAuthentication(){
switch(this._rfbAuthScheme){case Gr:return this._rfbVersion>=3.8?this._rfbInitState="SecurityResult":this._rfbInitState="ClientInitialisation",!0;case Zr:return this.
_negotiateXvpAuth();case Yr:return this._negotiateARDAuth();case ui:return this._negotiateStdVNCAuth();case Wr:return this._negotiateTightAuth();case ts:return this.
_negotiateVeNCryptAuth();case Jr:return this._negotiatePlainAuth();case qr:return this._negotiateTightUnixAuth();case Vr:return this._negotiateRA2neAuth();case jr:
return this._negotiateMSLogonIIAuth();default:return this._fail("Unsupported auth scheme (scheme: "+this._rfbAuthScheme+")")}}_handleSecurityResult(){if(this._sock.
rQwait("VNC auth response ",4))return!1;let i=this._sock.rQshift32();return i===0?(this._rfbInitState="ClientInitialisation",L("Authentication OK"),!0):this._rfbVersion>=
3.8?(this._rfbInitState="SecurityReason",this._securityContext="security result",this._securityStatus=i,!0):(this.dispatchEvent(new CustomEvent("securityfailure",
{detail:{status:i}})),this._fail("Security handshake failed"))}_negotiateServerInit(){if(this._sock.rQwait("server initialization",24))return!1;let i=this._sock.
rQshift16(),e=this._sock.rQshift16(),s=this._sock.rQshift8(),r=this._sock.rQshift8(),n=this._sock.rQshift8(),a=this._sock.rQshift8(),h=this._sock.rQshift16(),c=this.
_sock.rQshift16(),o=this._sock.rQshift16(),l=this._sock.rQshift8(),u=this._sock.rQshift8(),d=this._sock.rQshift8();this._sock.rQskipBytes(3);let x=this._sock.rQshift32();
if(this._sock.rQwait("server init name",x,24))return!1;let X=this._sock.rQshiftStr(x);if(X=Ht(X,!0),this._rfbTightVNC){if(this._sock.rQwait("TightVNC extended s\
erver init header",8,24+x))return!1;let k=this._sock.rQshift16(),A=this._sock.rQshift16(),F=this._sock.rQshift16();this._sock.rQskipBytes(2);let T=(k+A+F)*16;if(this.
_sock.rQwait("TightVNC extended server init header",T,32+x))return!1;this._sock.rQskipBytes(16*k),this._sock.rQskipBytes(16*A),this._sock.rQskipBytes(16*F)}return V(
"Screen: "+i+"x"+e+", bpp: "+s+", depth: "+r+", bigEndian: "+n+", trueColor: "+a+", redMax: "+h+", greenMax: "+c+", blueMax: "+o+", redShift: "+l+", greenShift:\
 "+u+", blueShift: "+d),this._setDesktopName(X),this._resize(i,e),this._viewOnly||this._keyboard.grab(),this._fbDepth=24,this._fbName==="Intel(r) AMT KVM"&&(Z("\
Intel AMT KVM only supports 8/16 bit depths. Using low color mode."),this._fbDepth=8),t.messages.pixelFormat(this._sock,this._fbDepth,!0),this._sendEncodings(),
t.messages.fbUpdateRequest(this._sock,!1,0,0,this._fbWidth,this._fbHeight),this._updateConnectionState("connected"),!0}_sendEncodings(){let i=[];i.push(R.encodingCopyRect),
this._fbDepth==24&&(bi&&i.push(R.encodingH264),i.push(R.encodingTight),i.push(R.encodingTightPNG),i.push(R.encodingZRLE),i.push(R.encodingJPEG),i.push(R.encodingHextile),
i.push(R.encodingRRE),i.push(R.encodingZlib)),i.push(R.encodingRaw),i.push(R.pseudoEncodingQualityLevel0+this._qualityLevel),i.push(R.pseudoEncodingCompressLevel0+
this._compressionLevel),i.push(R.pseudoEncodingDesktopSize),i.push(R.pseudoEncodingLastRect),i.push(R.pseudoEncodingQEMUExtendedKeyEvent),i.push(R.pseudoEncodingQEMULedEvent),
i.push(R.pseudoEncodingExtendedDesktopSize),i.push(R.pseudoEncodingXvp),i.push(R.pseudoEncodingFence),i.push(R.pseudoEncodingContinuousUpdates),i.push(R.pseudoEncodingDesktopName),
i.push(R.pseudoEncodingExtendedClipboard),i.push(R.pseudoEncodingExtendedMouseButtons),this._fbDepth==24&&(i.push(R.pseudoEncodingVMwareCursor),i.push(R.pseudoEncodingCursor)),
t.messages.clientEncodings(this._sock,i)}_initMsg(){switch(this._rfbInitState){case"ProtocolVersion":return this._negotiateProtocolVersion();case"Security":return this.
_negotiateSecurity();case"Authentication":return this._negotiateAuthentication();case"SecurityResult":return this._handleSecurityResult();case"SecurityReason":return this.
_handleSecurityReason();case"ClientInitialisation":return this._sock.sQpush8(this._shared?1:0),this._sock.flush(),this._rfbInitState="ServerInitialisation",!0;case"\
ServerInitialisation":return this._negotiateServerInit();default:return this._fail("Unknown init state (state: "+this._rfbInitState+")")}}_resumeAuthentication(){
setTimeout(this._initMsg.bind(this),0)}_handleSetColourMapMsg(){return L("SetColorMapEntries"),this._fail("Unexpected SetColorMapEntries message")}_handleServerCutText(){
if(L("ServerCutText"),this._sock.rQwait("ServerCutText header",7,1))return!1;this._sock.rQskipBytes(3);let i=this._sock.rQshift32();if(i=nt(i),this._sock.rQwait(
"ServerCutText content",Math.abs(i),8))return!1;if(i>=0){let e=this._sock.rQshiftStr(i);if(this._viewOnly)return!0;this.dispatchEvent(new CustomEvent("clipboard",
{detail:{text:e}}))}else{i=Math.abs(i);let e=this._sock.rQshift32(),s=e&65535,r=e&4278190080;if(!!(r&$r)){this._clipboardServerCapabilitiesFormats={},this._clipboardServerCapabilitiesActions=
{};for(let h=0;h<=15;h++){let c=1<<h;s&c&&(this._clipboardServerCapabilitiesFormats[c]=!0,this._sock.rQshift32())}for(let h=24;h<=31;h++){let c=1<<h;this._clipboardServerCapabilitiesActions[c]=
!!(r&c)}let a=[$r,di,en,Qt,xi];t.messages.extendedClipboardCaps(this._sock,a,{extendedClipboardFormatText:0})}else if(r===di){if(this._viewOnly)return!0;this._clipboardText!=
null&&this._clipboardServerCapabilitiesActions[xi]&&s&pe&&t.messages.extendedClipboardProvide(this._sock,[pe],[this._clipboardText])}else if(r===en){if(this._viewOnly)
return!0;this._clipboardServerCapabilitiesActions[Qt]&&(this._clipboardText!=null?t.messages.extendedClipboardNotify(this._sock,[pe]):t.messages.extendedClipboardNotify(
this._sock,[]))}else if(r===Qt){if(this._viewOnly)return!0;this._clipboardServerCapabilitiesActions[di]&&s&pe&&t.messages.extendedClipboardRequest(this._sock,[pe])}else if(r===
xi){if(this._viewOnly||!(s&pe))return!0;this._clipboardText=null;let a=this._sock.rQshiftBytes(i-4),h=new ce,c=null;h.setInput(a);for(let o=0;o<=15;o++){let l=1<<
o;if(s&l){let u=0,d=h.inflate(4);u|=d[0]<<24,u|=d[1]<<16,u|=d[2]<<8,u|=d[3];let x=h.inflate(u);l===pe&&(c=x)}}if(h.setInput(null),c!==null){let o="";for(let l=0;l<
c.length;l++)o+=String.fromCharCode(c[l]);c=o,c=Ht(c),c.length>0&&c.charAt(c.length-1)==="\0"&&(c=c.slice(0,-1)),c=c.replaceAll(`\r
`,`
`),this.dispatchEvent(new CustomEvent("clipboard",{detail:{text:c}}))}}else return this._fail("Unexpected action in extended clipboard message: "+r)}return!0}_handleServerFenceMsg(){
if(this._sock.rQwait("ServerFence header",8,1))return!1;this._sock.rQskipBytes(3);let i=this._sock.rQshift32(),e=this._sock.rQshift8();if(this._sock.rQwait("Ser\
verFence payload",e,9))return!1;e>64&&(Z("Bad payload length ("+e+") in fence response"),e=64);let s=this._sock.rQshiftStr(e);return this._supportsFence=!0,i&1<<
31?(i&=3,t.messages.clientFence(this._sock,i,s),!0):this._fail("Unexpected fence response")}_handleXvpMsg(){if(this._sock.rQwait("XVP version and message",3,1))
return!1;this._sock.rQskipBytes(1);let i=this._sock.rQshift8(),e=this._sock.rQshift8();switch(e){case 0:U("XVP operation failed");break;case 1:this._rfbXvpVer=i,
V("XVP extensions enabled (version "+this._rfbXvpVer+")"),this._setCapability("power",!0);break;default:this._fail("Illegal server XVP message (msg: "+e+")");break}
return!0}_normalMsg(){let i;this._FBU.rects>0?i=0:i=this._sock.rQshift8();let e,s;switch(i){case 0:return s=this._framebufferUpdate(),s&&!this._enabledContinuousUpdates&&
t.messages.fbUpdateRequest(this._sock,!0,0,0,this._fbWidth,this._fbHeight),s;case 1:return this._handleSetColourMapMsg();case 2:return L("Bell"),this.dispatchEvent(
new CustomEvent("bell",{detail:{}})),!0;case 3:return this._handleServerCutText();case 150:return e=!this._supportsContinuousUpdates,this._supportsContinuousUpdates=
!0,this._enabledContinuousUpdates=!1,e&&(this._enabledContinuousUpdates=!0,this._updateContinuousUpdates(),V("Enabling continuous updates.")),!0;case 248:return this.
_handleServerFenceMsg();case 250:return this._handleXvpMsg();default:return this._fail("Unexpected server message (type "+i+")"),L("sock.rQpeekBytes(30): "+this.
_sock.rQpeekBytes(30)),!0}}_framebufferUpdate(){if(this._FBU.rects===0){if(this._sock.rQwait("FBU header",3,1))return!1;if(this._sock.rQskipBytes(1),this._FBU.rects=
this._sock.rQshift16(),this._display.pending())return this._flushing=!0,this._display.flush().then(()=>{this._flushing=!1,this._sock.rQwait("message",1)||this._handleMessage()}),
!1}for(;this._FBU.rects>0;){if(this._FBU.encoding===null){if(this._sock.rQwait("rect header",12))return!1;this._FBU.x=this._sock.rQshift16(),this._FBU.y=this._sock.
rQshift16(),this._FBU.width=this._sock.rQshift16(),this._FBU.height=this._sock.rQshift16(),this._FBU.encoding=this._sock.rQshift32(),this._FBU.encoding>>=0}if(!this.
_handleRect())return!1;this._FBU.rects--,this._FBU.encoding=null}return this._display.flip(),!0}_handleRect(){switch(this._FBU.encoding){case R.pseudoEncodingLastRect:
return this._FBU.rects=1,!0;case R.pseudoEncodingVMwareCursor:return this._handleVMwareCursor();case R.pseudoEncodingCursor:return this._handleCursor();case R.pseudoEncodingQEMUExtendedKeyEvent:
return this._qemuExtKeyEventSupported=!0,!0;case R.pseudoEncodingDesktopName:return this._handleDesktopName();case R.pseudoEncodingDesktopSize:return this._resize(
this._FBU.width,this._FBU.height),!0;case R.pseudoEncodingExtendedDesktopSize:return this._handleExtendedDesktopSize();case R.pseudoEncodingExtendedMouseButtons:
return this._extendedPointerEventSupported=!0,!0;case R.pseudoEncodingQEMULedEvent:return this._handleLedEvent();default:return this._handleDataRect()}}_handleVMwareCursor(){
let i=this._FBU.x,e=this._FBU.y,s=this._FBU.width,r=this._FBU.height;if(this._sock.rQwait("VMware cursor encoding",1))return!1;let n=this._sock.rQshift8();this.
_sock.rQshift8();let a,h=4;if(n==0){if(a=new Array(s*r*h),this._sock.rQwait("VMware cursor classic encoding",s*r*h*2,2))return!1;let o=new Array(s*r);for(let u=0;u<
s*r;u++)o[u]=this._sock.rQshift32();let l=new Array(s*r);for(let u=0;u<s*r;u++)l[u]=this._sock.rQshift32();for(let u=0;u<s*r;u++)if(o[u]==0){let d=l[u],x=d>>8&255,
X=d>>16&255,k=d>>24&255;a[u*h]=x,a[u*h+1]=X,a[u*h+2]=k,a[u*h+3]=255}else(o[u]&-256)==-256?l[u]==0?(a[u*h]=0,a[u*h+1]=0,a[u*h+2]=0,a[u*h+3]=0):(l[u]&-256,a[u*h]=
0,a[u*h+1]=0,a[u*h+2]=0,a[u*h+3]=255):(a[u*h]=0,a[u*h+1]=0,a[u*h+2]=0,a[u*h+3]=255)}else if(n==1){if(this._sock.rQwait("VMware cursor alpha encoding",s*r*4,2))return!1;
a=new Array(s*r*h);for(let c=0;c<s*r;c++){let o=this._sock.rQshift32();a[c*4]=o>>24&255,a[c*4+1]=o>>16&255,a[c*4+2]=o>>8&255,a[c*4+3]=o&255}}else return Z("The \
given cursor type is not supported: "+n+" given."),!1;return this._updateCursor(a,i,e,s,r),!0}_handleCursor(){let i=this._FBU.x,e=this._FBU.y,s=this._FBU.width,
r=this._FBU.height,n=s*r*4,a=Math.ceil(s/8)*r,h=n+a;if(this._sock.rQwait("cursor encoding",h))return!1;let c=this._sock.rQshiftBytes(n),o=this._sock.rQshiftBytes(
a),l=new Uint8Array(s*r*4),u=0;for(let d=0;d<r;d++)for(let x=0;x<s;x++){let X=d*Math.ceil(s/8)+Math.floor(x/8),k=o[X]<<x%8&128?255:0;l[u]=c[u+2],l[u+1]=c[u+1],l[u+
2]=c[u],l[u+3]=k,u+=4}return this._updateCursor(l,i,e,s,r),!0}_handleDesktopName(){if(this._sock.rQwait("DesktopName",4))return!1;let i=this._sock.rQshift32();if(this.
_sock.rQwait("DesktopName",i,4))return!1;let e=this._sock.rQshiftStr(i);return e=Ht(e,!0),this._setDesktopName(e),!0}_handleLedEvent(){if(this._sock.rQwait("LED\
 status",1))return!1;let i=this._sock.rQshift8(),e=!!(i&2),s=!!(i&4);return this._remoteCapsLock=s,this._remoteNumLock=e,!0}_handleExtendedDesktopSize(){if(this.
_sock.rQwait("ExtendedDesktopSize",4))return!1;let i=this._sock.rQpeek8(),e=4+i*16;if(this._sock.rQwait("ExtendedDesktopSize",e))return!1;let s=!this._supportsSetDesktopSize;
this._supportsSetDesktopSize=!0,this._sock.rQskipBytes(1),this._sock.rQskipBytes(3);for(let r=0;r<i;r+=1)r===0?(this._screenID=this._sock.rQshift32(),this._sock.
rQskipBytes(2),this._sock.rQskipBytes(2),this._sock.rQskipBytes(2),this._sock.rQskipBytes(2),this._screenFlags=this._sock.rQshift32()):this._sock.rQskipBytes(16);
if(this._FBU.x===1&&(this._pendingRemoteResize=!1),this._FBU.x===1&&this._FBU.y!==0){let r="";switch(this._FBU.y){case 1:r="Resize is administratively prohibite\
d";break;case 2:r="Out of resources";break;case 3:r="Invalid screen layout";break;default:r="Unknown reason";break}Z("Server did not accept the resize request: "+
r)}else this._resize(this._FBU.width,this._FBU.height);return s&&this._requestRemoteResize(),this._FBU.x===1&&this._FBU.y===0&&this._requestRemoteResize(),!0}_handleDataRect(){
let i=this._decoders[this._FBU.encoding];if(!i)return this._fail("Unsupported encoding (encoding: "+this._FBU.encoding+")"),!1;try{return i.decodeRect(this._FBU.
x,this._FBU.y,this._FBU.width,this._FBU.height,this._sock,this._display,this._fbDepth)}catch(e){return this._fail("Error decoding rect: "+e),!1}}_updateContinuousUpdates(){
this._enabledContinuousUpdates&&t.messages.enableContinuousUpdates(this._sock,!0,0,0,this._fbWidth,this._fbHeight)}_resize(i,e){this._fbWidth=i,this._fbHeight=e,
this._display.resize(this._fbWidth,this._fbHeight),this._updateClip(),this._updateScale(),this._updateContinuousUpdates(),this._saveExpectedClientSize()}_xvpOp(i,e){
this._rfbXvpVer<i||(V("Sending XVP operation "+e+" (version "+i+")"),t.messages.xvpOp(this._sock,i,e))}_updateCursor(i,e,s,r,n){this._cursorImage={rgbaPixels:i,
hotx:e,hoty:s,w:r,h:n},this._refreshCursor()}_shouldShowDotCursor(){if(!this._showDotCursor)return!1;for(let i=3;i<this._cursorImage.rgbaPixels.length;i+=4)if(this.
_cursorImage.rgbaPixels[i])return!1;return!0}_refreshCursor(){if(this._rfbConnectionState!=="connecting"&&this._rfbConnectionState!=="connected")return;let i=this.
_shouldShowDotCursor()?t.cursors.dot:this._cursorImage;this._cursor.change(i.rgbaPixels,i.hotx,i.hoty,i.w,i.h)}static genDES(i,e){let s=i.split("").map(n=>n.charCodeAt(
0)),r=O.importKey("raw",s,{name:"DES-ECB"},!1,["encrypt"]);return O.encrypt({name:"DES-ECB"},r,e)}};se.messages={keyEvent(t,i,e){t.sQpush8(4),t.sQpush8(e),t.sQpush16(
0),t.sQpush32(i),t.flush()},QEMUExtendedKeyEvent(t,i,e,s){function r(a){let h=s>>8,c=s&255;return h===224&&c<127?c|128:a}t.sQpush8(255),t.sQpush8(0),t.sQpush16(
e),t.sQpush32(i);let n=r(s);t.sQpush32(n),t.flush()},pointerEvent(t,i,e,s){t.sQpush8(5),s=s&127,t.sQpush8(s),t.sQpush16(i),t.sQpush16(e),t.flush()},extendedPointerEvent(t,i,e,s){
t.sQpush8(5);let r=s>>7&255;if(r&252)throw new Error("Invalid mouse button mask: "+s);let n=s&127;n|=128,t.sQpush8(n),t.sQpush16(i),t.sQpush16(e),t.sQpush8(r),t.
flush()},_buildExtendedClipboardFlags(t,i){let e=new Uint8Array(4),s=0,r=0;for(let n=0;n<t.length;n++)r|=t[n];for(let n=0;n<i.length;n++)s|=i[n];return e[0]=r>>
24,e[1]=0,e[2]=0,e[3]=s,e},extendedClipboardProvide(t,i,e){let s=new wt,r=[];for(let h=0;h<i.length;h++){if(i[h]!=pe)throw new Error("Unsupported extended clipb\
oard format for Provide message.");e[h]=e[h].replace(/\r\n|\r|\n/gm,`\r
`);let c=le(e[h]+"\0");r.push(c.length>>24&255,c.length>>16&255,c.length>>8&255,c.length&255);for(let o=0;o<c.length;o++)r.push(c.charCodeAt(o))}let n=s.deflate(
new Uint8Array(r)),a=new Uint8Array(4+n.length);a.set(se.messages._buildExtendedClipboardFlags([xi],i)),a.set(n,4),se.messages.clientCutText(t,a,!0)},extendedClipboardNotify(t,i){
let e=se.messages._buildExtendedClipboardFlags([Qt],i);se.messages.clientCutText(t,e,!0)},extendedClipboardRequest(t,i){let e=se.messages._buildExtendedClipboardFlags(
[di],i);se.messages.clientCutText(t,e,!0)},extendedClipboardCaps(t,i,e){let s=Object.keys(e),r=new Uint8Array(4+4*s.length);s.map(a=>parseInt(a)),s.sort((a,h)=>a-
h),r.set(se.messages._buildExtendedClipboardFlags(i,[]));let n=4;for(let a=0;a<s.length;a++)r[n]=e[s[a]]>>24,r[n+1]=e[s[a]]>>16,r[n+2]=e[s[a]]>>8,r[n+3]=e[s[a]]>>
0,n+=4,r[3]|=1<<s[a];se.messages.clientCutText(t,r,!0)},clientCutText(t,i,e=!1){t.sQpush8(6),t.sQpush8(0),t.sQpush8(0),t.sQpush8(0);let s;e?s=ss(-i.length):s=i.
length,t.sQpush32(s),t.sQpushBytes(i),t.flush()},setDesktopSize(t,i,e,s,r){t.sQpush8(251),t.sQpush8(0),t.sQpush16(i),t.sQpush16(e),t.sQpush8(1),t.sQpush8(0),t.sQpush32(
s),t.sQpush16(0),t.sQpush16(0),t.sQpush16(i),t.sQpush16(e),t.sQpush32(r),t.flush()},clientFence(t,i,e){t.sQpush8(248),t.sQpush8(0),t.sQpush8(0),t.sQpush8(0),t.sQpush32(
i),t.sQpush8(e.length),t.sQpushString(e),t.flush()},enableContinuousUpdates(t,i,e,s,r,n){t.sQpush8(150),t.sQpush8(i),t.sQpush16(e),t.sQpush16(s),t.sQpush16(r),t.
sQpush16(n),t.flush()},pixelFormat(t,i,e){let s;i>16?s=32:i>8?s=16:s=8;let r=Math.floor(i/3);t.sQpush8(0),t.sQpush8(0),t.sQpush8(0),t.sQpush8(0),t.sQpush8(s),t.
sQpush8(i),t.sQpush8(0),t.sQpush8(e?1:0),t.sQpush16((1<<r)-1),t.sQpush16((1<<r)-1),t.sQpush16((1<<r)-1),t.sQpush8(r*0),t.sQpush8(r*1),t.sQpush8(r*2),t.sQpush8(0),
t.sQpush8(0),t.sQpush8(0),t.flush()},clientEncodings(t,i){t.sQpush8(2),t.sQpush8(0),t.sQpush16(i.length);for(let e=0;e<i.length;e++)t.sQpush32(i[e]);t.flush()},
fbUpdateRequest(t,i,e,s,r,n){typeof e>"u"&&(e=0),typeof s>"u"&&(s=0),t.sQpush8(3),t.sQpush8(i?1:0),t.sQpush16(e),t.sQpush16(s),t.sQpush16(r),t.sQpush16(n),t.flush()},
xvpOp(t,i,e){t.sQpush8(250),t.sQpush8(0),t.sQpush8(i),t.sQpush8(e),t.flush()}};se.cursors={none:{rgbaPixels:new Uint8Array,w:0,h:0,hotx:0,hoty:0},dot:{rgbaPixels:new Uint8Array(
[255,255,255,255,0,0,0,255,255,255,255,255,0,0,0,255,0,0,0,0,0,0,0,255,255,255,255,255,0,0,0,255,255,255,255,255]),w:3,h:3,hotx:1,hoty:1}};var Ma="The address of this page names no screen. Open it from the console of a node.",rt=t=>{let i=document.getElementById(t);if(i===null)throw new Error(`the \
page has no ${t}`);return i},fe=t=>rt(t);function Ra(){let t=new URLSearchParams(location.search).get("path")??"",i=new URLSearchParams(t.slice(t.indexOf("?")+1)),
e=i.get("node")??"",s=i.get("token")??"";return/^[0-9a-f-]{36}$/.test(e)&&s!==""?{node:e,token:s}:null}var tn=rt("screen"),is=rt("state"),sn=rt("reason"),ae=null;
function pi(t){sn.hidden=t===null,sn.textContent=t}function It(t){let i={connecting:"connecting \u2026",open:fe("watch").ariaPressed==="true"?"you watch":"conne\
cted",ended:"not connected"};is.textContent=i[t],is.dataset.line=t,fe("connect").hidden=t!=="ended",fe("cad").disabled=t!=="open"}async function Ba(t){try{let i=await fetch(
t,{cache:"no-store"}),e=await i.text(),s=JSON.parse(e),r=JSON.parse(s.error_message??"{}");if(i.status!==426&&r.faultstring!==void 0)return r.faultstring}catch{
return"The service does not answer."}return"The token of this console is wrong or has ended, the console is off, or its VNC server does not answer. Switch the c\
onsole off and on for a new one."}function rn({node:t,token:i}){ae?.disconnect(),tn.replaceChildren(),pi(null),It("connecting");let e=`/corten/v1/nodes/${t}/scr\
een?token=${encodeURIComponent(i)}`,s=location.protocol==="https:"?"wss":"ws",r=localStorage.getItem("corten.key"),n=["corten.console",...r===null?[]:[`corten.k\
ey.${r}`]],a=new WebSocket(`${s}://${location.host}${e}`,n),h=!1,c=null;a.addEventListener("open",()=>{h=!0}),a.addEventListener("message",l=>{if(typeof l.data!=
"string")return;let u=JSON.parse(l.data);u.type==="ended"&&(c=`The console ended: ${u.reason??""}.`)});let o=new se(tn,a,{shared:!0});ae=o,o.background="transpa\
rent",o.viewOnly=fe("watch").ariaPressed==="true",o.scaleViewport=fe("scale").ariaPressed==="true",o.addEventListener("connect",()=>{It("open"),o.focus()}),o.addEventListener(
"desktopname",l=>{let u=l.detail.name;document.title=`${u} \xB7 Screen \xB7 Corten`}),o.addEventListener("disconnect",()=>{ae===o&&(ae=null,It("ended"),h?pi(c):
Ba(e).then(l=>ae===null&&pi(l)))})}function nn(t,i){let e=fe(t);e.addEventListener("click",()=>{e.ariaPressed=e.ariaPressed==="true"?"false":"true",i(e.ariaPressed===
"true")})}var Pt=Ra();fe("connect").addEventListener("click",()=>Pt!==null&&rn(Pt));fe("cad").addEventListener("click",()=>{ae?.sendCtrlAltDel(),ae?.focus()});nn(
"watch",t=>{ae!==null&&(ae.viewOnly=t),is.dataset.line==="open"&&It("open")});nn("scale",t=>{ae!==null&&(ae.scaleViewport=t)});fe("full").addEventListener("clic\
k",()=>{rt("screen").requestFullscreen(),ae?.focus()});addEventListener("keydown",t=>{!t.ctrlKey||!t.altKey||t.key!=="Escape"||(t.preventDefault(),t.stopImmediatePropagation(),
dispatchEvent(new Event("blur")),ae?.blur(),fe("watch").focus())},!0);Pt===null?(It("ended"),fe("connect").hidden=!0,pi(Ma)):(rt("name").textContent=`Screen of ${Pt.
node}`,rn(Pt));
